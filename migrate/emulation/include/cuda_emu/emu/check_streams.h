// Which work of different streams is ordered.
//
// Every launch and every copy has a phase; a phase belongs to a stream and has a place in it. A
// stream knows up to which place of every other stream it has waited: through events, through the
// legacy default stream, or because the host waited before it submitted.
#pragma once

#include <map>
#include <vector>

#include "check_shadow.h"

namespace cuda_emu {
namespace check {

typedef std::map<int, std::uint32_t> Seen;  // by stream: the last place that is known to be done

struct StreamClock {
  Seen seen;
  std::uint32_t place = 0;
  bool blocking = true;  // waits for the default stream, and that for it
};
struct PhaseOwner {
  int stream = 0;
  std::uint32_t place = 0;
  const char *name = "";  // a kernel's signature, or what copies
};

struct Streams {
  std::map<int, StreamClock> clocks;
  std::map<const void *, Seen> events;
  Seen host;
  std::vector<PhaseOwner> owners = std::vector<PhaseOwner>(8192);  // by phase
  int submitting = -1;    // the stream of an asynchronous call that runs now
  int running = 0;        // the stream of what runs now
};
inline Streams &streams() {
  static auto *made = new Streams;
  return *made;
}
inline bool streams_in_use = false;  // until a stream is made, everything is in order

inline void join(Seen &into, const Seen &from) {
  for (const auto &entry : from) {
    std::uint32_t &place = into[entry.first];
    if (entry.second > place) place = entry.second;
  }
}
inline void join_all(Seen &into, int id, const StreamClock &clock) {
  join(into, clock.seen);
  if (clock.place > into[id]) into[id] = clock.place;
}

// Work is submitted to a stream: it comes after what the stream and the host have waited for.
inline void begin_work(int stream, std::uint32_t phase, const char *name) {
  Streams &all = streams();
  StreamClock &clock = all.clocks[stream];
  join(clock.seen, all.host);
  if (stream == 0) {
    for (auto &other : all.clocks)
      if (other.first && other.second.blocking) join_all(clock.seen, other.first, other.second);
  } else if (clock.blocking) {
    join_all(clock.seen, 0, all.clocks[0]);
  }
  all.owners[phase] = PhaseOwner{stream, ++clock.place, name};
  all.running = stream;
}

inline void same_work(std::uint32_t before, std::uint32_t phase) {
  if (streams_in_use) streams().owners[phase] = streams().owners[before];
}

inline bool work_unordered(std::uint32_t phase) {
  const Streams &all = streams();
  const PhaseOwner &owner = all.owners[phase];
  if (!owner.place || owner.stream == all.running) return false;
  const Seen &seen = all.clocks.at(all.running).seen;
  auto known = seen.find(owner.stream);
  return known == seen.end() || known->second < owner.place;
}

void stream_made(int stream, bool blocking) {
  if (!wanted().race) return;
  streams_in_use = true;
  streams().clocks[stream].blocking = blocking;
}
void stream_waited(int stream) {
  if (streams_in_use) join_all(streams().host, stream, streams().clocks[stream]);
}
void device_waited() {
  if (!streams_in_use) return;
  for (auto &entry : streams().clocks) join_all(streams().host, entry.first, entry.second);
}
void event_recorded(const void *event, int stream) {
  if (!streams_in_use) return;
  Seen &seen = streams().events[event];
  seen.clear();
  join(seen, streams().host);
  join_all(seen, stream, streams().clocks[stream]);
}
void event_waited(const void *event) {
  if (streams_in_use) join(streams().host, streams().events[event]);
}
void stream_waits(int stream, const void *event) {
  if (streams_in_use) join(streams().clocks[stream].seen, streams().events[event]);
}

StreamScope::StreamScope(int stream) : before(-1) {
  if (!streams_in_use) return;
  before = streams().submitting;
  streams().submitting = stream;
}
StreamScope::~StreamScope() {
  if (streams_in_use) streams().submitting = before;
}

}  // namespace check
}  // namespace cuda_emu
