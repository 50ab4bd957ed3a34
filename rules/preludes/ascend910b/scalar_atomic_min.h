// Min of value into one element of global memory, by the copy engine. cell is one block (32 bytes)
// of the unified buffer.
template <typename Element>
__aicore__ inline void scalar_atomic_min(const AscendC::GlobalTensor<Element>& place, const AscendC::LocalTensor<Element>& cell, Element value)
{
    cell.SetValue(0, value);
    AscendC::SetFlag<AscendC::HardEvent::S_MTE3>(EVENT_ID0);
    AscendC::WaitFlag<AscendC::HardEvent::S_MTE3>(EVENT_ID0);
    AscendC::SetAtomicMin<Element>();
    AscendC::DataCopyPad(place, cell, AscendC::DataCopyExtParams{1, sizeof(Element), 0, 0, 0});
    AscendC::SetAtomicNone();
    AscendC::SetFlag<AscendC::HardEvent::MTE3_S>(EVENT_ID0);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_S>(EVENT_ID0);
}
