// Host threads that stand for the cores of the chip.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "memory.h"
#include "settings.h"

namespace ascendc_emu {

/// A fixed set of threads that run one job together; the caller is worker 0.
class WorkerPool {
public:
    static WorkerPool& get()
    {
        static WorkerPool pool;
        return pool;
    }

    /// Calls job(w) for w in [0, workers) at the same time and returns when all have returned.
    void run(unsigned workers, const std::function<void(unsigned)>& job)
    {
        std::unique_lock<std::mutex> only_one(launch_);
        if (workers > 1) {
            std::unique_lock<std::mutex> hold(mutex_);
            while (threads_.size() + 1 < workers) {
                const unsigned index = static_cast<unsigned>(threads_.size()) + 1;
                threads_.emplace_back([this, index, seen = round_]() mutable { serve(index, seen); });
            }
            job_ = &job;
            workers_ = workers;
            left_ = workers - 1;
            ++round_;
            wake_.notify_all();
        }
        job(0);
        if (workers > 1) {
            std::unique_lock<std::mutex> hold(mutex_);
            done_.wait(hold, [this] { return left_ == 0; });
            job_ = nullptr;
        }
    }

    ~WorkerPool()
    {
        {
            std::unique_lock<std::mutex> hold(mutex_);
            stop_ = true;
            wake_.notify_all();
        }
        for (std::thread& t : threads_) t.join();
    }

private:
    void serve(unsigned index, uint64_t seen)
    {
        MemoryTable::use_alternate_stack();
        for (;;) {
            const std::function<void(unsigned)>* job = nullptr;
            {
                std::unique_lock<std::mutex> hold(mutex_);
                wake_.wait(hold, [&] { return stop_ || round_ != seen; });
                if (stop_) return;
                seen = round_;
                if (index < workers_) job = job_;
            }
            if (job == nullptr) continue;
            (*job)(index);
            std::unique_lock<std::mutex> hold(mutex_);
            if (--left_ == 0) done_.notify_one();
        }
    }

    std::mutex launch_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable done_;
    std::vector<std::thread> threads_;
    const std::function<void(unsigned)>* job_ = nullptr;
    unsigned workers_ = 0;
    unsigned left_ = 0;
    uint64_t round_ = 0;
    bool stop_ = false;
};

/// Lets all workers of one launch meet; used for SyncAll.
class Meeting {
public:
    explicit Meeting(unsigned members) : members_(members) {}

    /// Waits for all members; every call returns the sum of the values given in this round.
    uint64_t arrive(uint64_t value)
    {
        std::unique_lock<std::mutex> hold(mutex_);
        const uint64_t round = round_;
        sum_ += value;
        if (++here_ == members_) {
            result_ = sum_;
            sum_ = 0;
            here_ = 0;
            ++round_;
            all_.notify_all();
            return result_;
        }
        all_.wait(hold, [&] { return round_ != round; });
        return result_;
    }

private:
    std::mutex mutex_;
    std::condition_variable all_;
    unsigned members_;
    unsigned here_ = 0;
    uint64_t round_ = 0;
    uint64_t sum_ = 0;
    uint64_t result_ = 0;
};

} // namespace ascendc_emu
