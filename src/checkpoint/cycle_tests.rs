use super::*;

fn s(seconds: u64) -> Span {
    Span::from_s(seconds)
}

fn ns(ns: u64) -> Span {
    Span::from_ns(ns)
}

/// A small job with a final save, as numbers: the walk knows no more than this.
#[derive(Debug, Clone, Copy)]
struct Job {
    burst_step: u64,
    burst_steps: u64,
    step: u64,
    every: Every,
    stall: u64,
}

impl Job {
    fn steady(self) -> Cycle {
        Cycle::new(ns(self.step), Some(self.every), ns(self.stall), true)
    }

    fn bursting(self) -> Cycle<Bursting> {
        self.steady().with_burst(ns(self.burst_step), self.burst_steps)
    }

    /// Whether a save is due in step `step`, after which `kept` of step time has passed.
    fn saves_after(self, step: u64, kept: u64, length: u64) -> bool {
        match self.every {
            Every::Time(every) => kept / every.ns() > (kept - length) / every.ns(),
            Every::Steps(every) => step.is_multiple_of(every),
        }
    }

    /// The slow, obvious walk over the steps.
    fn walked(self, elapsed: u64, steps: u64) -> Progress {
        let (mut left, mut kept, mut p) = (elapsed, 0, Progress::default());
        for step in 1..=steps {
            let length = if step <= self.burst_steps { self.burst_step } else { self.step };
            p.stepping += ns(length.min(left));
            if left < length {
                return p;
            }
            (left, kept) = (left - length, kept + length);
            if step < steps && self.saves_after(step, kept, length) {
                p.stall += ns(self.stall.min(left));
                if left < self.stall {
                    return p;
                }
                left -= self.stall;
                (p.saves, p.durable_steps) = (p.saves + 1, step);
            }
        }
        p.stall += ns(left);
        p
    }

    /// Holds every instant of `cycle`, which must be this job's, against the walk.
    fn check(self, cycle: &Cycle<impl Pace>, steps: u64) {
        for elapsed in 0..cycle.duration(steps).ns() {
            let walked = self.walked(elapsed, steps);
            assert_eq!(cycle.progress(ns(elapsed), steps), walked, "{self:?} elapsed {elapsed}");
        }
    }
}

fn small_cadences() -> impl Iterator<Item = Every> {
    (1..=11).map(|time| Every::Time(ns(time))).chain((1..=4).map(Every::Steps))
}

#[test]
fn closed_form_agrees_with_walking_over_every_step() {
    for every in small_cadences() {
        for step in 1..=7 {
            for stall in 0..=4 {
                let job = Job { burst_step: step, burst_steps: 0, step, every, stall };
                job.check(&job.steady(), 9);
            }
        }
    }
}

#[test]
fn closed_form_of_two_paces_agrees_with_walking_over_every_step() {
    for every in small_cadences() {
        for (burst_step, step) in [(1, 1), (1, 2), (1, 7), (2, 3), (2, 6), (3, 3), (3, 5), (4, 7), (5, 6)] {
            for burst_steps in 0..=10 {
                for stall in [0, 1, 3] {
                    let job = Job { burst_step, burst_steps, step, every, stall };
                    job.check(&job.bursting(), 9);
                }
            }
        }
    }
}

#[test]
fn every_save_ends_when_the_walk_says_so() {
    for every in small_cadences() {
        for burst_steps in [0, 1, 4, 8] {
            let job = Job { burst_step: 2, burst_steps, step: 5, every, stall: 3 };
            for k in 1.. {
                let Some(save) = job.bursting().save(k, 9) else { break };
                let at_end = job.walked(save.ends.ns(), 9);
                assert_eq!((at_end.saves, at_end.durable_steps), (k, save.steps), "{job:?}");
                assert_eq!(job.walked(save.ends.ns() - 1, 9).saves, k - 1, "{job:?}");
            }
        }
    }
}

/// Case 14 C: 12 h of work, a save of 2 min after every full hour but the last: 12 h 22 min.
#[test]
fn no_save_follows_the_last_step_unless_asked() {
    let hourly = |last| Cycle::new(s(1), Some(Every::Time(s(3_600))), s(120), last);
    assert_eq!(hourly(false).duration(43_200), s(12 * 3_600 + 22 * 60));
    assert_eq!(hourly(true).duration(43_200), s(12 * 3_600 + 24 * 60));
    assert_eq!(Cycle::new(s(1), None, s(120), true).duration(10), s(130));
}

#[test]
fn a_save_is_durable_when_it_ends_and_not_before() {
    let cycle = Cycle::new(s(1), Some(Every::Time(s(10))), s(5), false);
    assert_eq!(cycle.progress(s(15) - ns(1), 100).durable_steps, 0);
    let at_end = cycle.progress(s(15), 100);
    assert_eq!((at_end.durable_steps, at_end.saves, at_end.stepping, at_end.stall), (10, 1, s(10), s(5)));
}

#[test]
fn several_saves_due_within_one_step_give_one() {
    let cycle = Cycle::new(s(11), Some(Every::Time(s(2))), s(1), false);
    assert_eq!(cycle.progress(s(24), 100).saves, 2);
    assert_eq!(cycle.duration(3), s(35));
}

/// Ten steps of 1 s, then steps of 3 s. Every 4 s: after steps 4, 8, 11 (13 s), 12 (16 s), 14 (22 s).
/// Every 4 steps: after 4, 8, 12.
#[test]
fn time_between_saves_counts_both_paces_and_steps_between_them_neither() {
    let kept = |every| {
        let cycle = Cycle::new(s(3), Some(every), s(1), false).with_burst(s(1), 10);
        (1..).map_while(|k| cycle.save(k, 15)).map(|save| save.steps).collect::<Vec<_>>()
    };
    assert_eq!(kept(Every::Time(s(4))), [4, 8, 11, 12, 14]);
    assert_eq!(kept(Every::Steps(4)), [4, 8, 12]);
}

#[test]
fn without_saves_nothing_is_kept() {
    let cycle = Cycle::new(s(1), None, Span::ZERO, false);
    let p = cycle.progress(s(99), 100);
    assert_eq!((p.durable_steps, p.stepping), (0, s(99)));
}

/// Saves with an upload, walked over step by step; a save is made at every `nth` due time.
#[derive(Debug, Clone, Copy)]
struct Uploading {
    job: Job,
    upload: u64,
    nth: u64,
}

/// What the walk met: when each save began, and when it was durable, with the steps it keeps.
struct Walked {
    begins: Vec<u64>,
    durable: Vec<(u64, u64)>,
    done: u64,
}

impl Uploading {
    fn cycle(self) -> Cycle<Bursting> {
        let burst_step = (self.job.burst_steps > 0).then_some(ns(self.job.burst_step));
        let cycle = self.job.steady().with_upload(ns(self.upload), burst_step);
        cycle.with_burst(ns(self.job.burst_step), self.job.burst_steps)
    }

    /// Which of the due saves are made: every so-many-th.
    fn nth_made(self) -> u64 {
        match (self.job.every, self.cycle().every().unwrap()) {
            (Every::Time(asked), Every::Time(made)) => made.ns() / asked.ns(),
            (Every::Steps(asked), Every::Steps(made)) => made / asked,
            _ => panic!("a cadence keeps its kind"),
        }
    }

    /// The slow, obvious walk to the end of the job.
    fn walk(self, steps: u64) -> Walked {
        let Job { burst_step, burst_steps, step, every, stall } = self.job;
        let every = match every {
            Every::Time(span) => Every::Time(span.times(self.nth)),
            Every::Steps(steps) => Every::Steps(steps * self.nth),
        };
        let job = Job { every, ..self.job };
        let (mut now, mut kept) = (0, 0);
        let mut walked = Walked { begins: vec![], durable: vec![], done: 0 };
        for number in 1..=steps {
            let length = if number <= burst_steps { burst_step } else { step };
            (now, kept) = (now + length, kept + length);
            if number < steps && job.saves_after(number, kept, length) {
                walked.begins.push(now);
                now += stall;
                walked.durable.push((now + self.upload, number));
            }
        }
        let free_at = walked.durable.last().map_or(0, |(at, _)| *at);
        walked.done = now.max(free_at) + stall + self.upload;
        walked
    }

    /// Whether some save begins while the one before is uploaded.
    fn overlaps(self) -> bool {
        let walked = self.walk(200);
        walked.durable.iter().zip(&walked.begins[1..]).any(|((durable, _), begins)| begins < durable)
    }
}

fn uploads() -> impl Iterator<Item = Uploading> {
    small_cadences().flat_map(|every| {
        [(1, 0, 1), (3, 0, 3), (5, 0, 5), (1, 7, 3), (2, 4, 5), (3, 9, 3)].into_iter().flat_map(
            move |(burst_step, burst_steps, step)| {
                [0, 1, 2, 5, 9, 23].into_iter().flat_map(move |upload| {
                    [0, 2].map(|stall| {
                        let job = Job { burst_step, burst_steps, step, every, stall };
                        Uploading { job, upload, nth: 1 }
                    })
                })
            },
        )
    })
}

#[test]
fn uploads_never_overlap_and_skip_no_more_saves_than_they_must() {
    for one in uploads() {
        let nth = one.nth_made();
        assert!(!Uploading { nth, ..one }.overlaps(), "{one:?}: every {nth}-th");
        if one.job.burst_steps == 0 && nth > 1 {
            assert!(Uploading { nth: nth - 1, ..one }.overlaps(), "{one:?}: fewer than {nth} would do");
        }
    }
}

#[test]
fn closed_form_with_uploads_agrees_with_walking_over_every_step() {
    for one in uploads() {
        let (cycle, steps) = (one.cycle(), 23);
        let nth = one.nth_made();
        let walked = Uploading { nth, ..one }.walk(steps);
        let done = cycle.duration(steps).ns();
        assert_eq!(done, walked.done, "{one:?}");
        for elapsed in 0..done {
            let durable = walked.durable.iter().take_while(|(at, _)| *at <= elapsed);
            let right = durable.fold((0, 0), |(saves, _), (_, kept)| (saves + 1, *kept));
            let p = cycle.progress(ns(elapsed), steps);
            assert_eq!((p.saves, p.durable_steps), right, "{one:?} elapsed {elapsed}");
            assert_eq!(p.stepping + p.stall, ns(elapsed));
        }
    }
}

/// A save of 2 s that is uploaded for 25 s every 10 s: every third due save is made, after 30 s of steps.
#[test]
fn saves_that_are_due_while_one_is_uploaded_are_left_out() {
    let cycle = Cycle::new(s(1), Some(Every::Time(s(10))), s(2), false).with_upload(s(25), None);
    assert_eq!(cycle.save(1, 100), Some(Save { steps: 30, ends: s(57) }));
    assert_eq!(cycle.save(2, 100), Some(Save { steps: 60, ends: s(89) }));
    let before = cycle.progress(s(57) - ns(1), 100);
    assert_eq!((before.durable_steps, before.stall), (0, s(2)));
    assert_eq!(cycle.progress(s(57), 100).durable_steps, 30);
}

/// At the end of ten steps the upload of the save after step 8 has 3 s left; the last save waits for it.
#[test]
fn the_last_save_waits_for_the_upload_under_way() {
    let cycle = Cycle::new(s(1), Some(Every::Steps(8)), s(1), true).with_upload(s(5), None);
    assert_eq!(cycle.duration(10), s(8 + 1 + 5 + 1 + 5));
}

#[test]
fn an_upload_of_no_length_is_no_upload() {
    for every in small_cadences() {
        let plain = Cycle::new(ns(3), Some(every), ns(2), true);
        assert_eq!(plain.with_upload(Span::ZERO, None), plain);
        assert_eq!(plain.with_upload(Span::ZERO, Some(ns(2))), plain);
    }
}

fn warned(seen: Span, lost: Span, save: Span, late: bool) -> Warned {
    Warned { seen, lost, save, late }
}

/// Seen at 100 s, lost at 220 s; steps of 1 s. A save of 90 s, 119 s and 120 s begins at once at step 100,
/// late at 130, 101 and 100; one of 121 s does not fit.
#[test]
fn a_save_at_a_notice_is_kept_only_if_it_fits() {
    let cycle = Cycle::new(s(1), None, Span::ZERO, false);
    let saved = |save, late| cycle.steps_saved_at_notice(warned(s(100), s(220), s(save), late), 1_000);
    assert_eq!([90, 119, 120, 121].map(|save| saved(save, false)), [Some(100), Some(100), Some(100), None]);
    assert_eq!([90, 119, 120, 121].map(|save| saved(save, true)), [Some(130), Some(101), Some(100), None]);
}

/// Case 17 E: a step of 45 s that began at 98:00 ends at 98:45, and 90 s later it is 100:15.
#[test]
fn a_save_at_a_notice_begins_at_a_step_boundary() {
    let cycle = Cycle::new(s(45), None, s(90), false);
    let begun = s(45 * 130);
    let saved = |seen| cycle.steps_saved_at_notice(warned(seen, begun + s(120), s(90), false), 1_000);
    assert_eq!(saved(begun), Some(130));
    assert_eq!(saved(begun + ns(1)), None);
}

/// Steps of 1 s, a save of 20 s after every 100: at 110 s the first of them is under way.
#[test]
fn a_save_under_way_at_a_notice_serves_as_well() {
    let cycle = Cycle::new(s(1), Some(Every::Steps(100)), s(20), false);
    let saved =
        |seen, lost, save| cycle.steps_saved_at_notice(warned(s(seen), s(lost), s(save), false), 1_000);
    assert_eq!(saved(110, 120, 20), Some(100));
    assert_eq!(saved(110, 119, 20), None);
    assert_eq!(saved(110, 119, 9), Some(100));
    assert_eq!(saved(120, 121, 20), Some(100));
    assert_eq!(saved(121, 140, 20), None);
}

/// The slow way: of all boundaries at which a save could begin, the first or the last that fits.
#[test]
fn saves_at_a_notice_agree_with_trying_every_boundary() {
    for one in uploads().filter(|one| one.upload < 6).step_by(5) {
        let (cycle, steps, whole) = (one.cycle(), 11, one.job.stall + one.upload);
        let stepped: Vec<Span> =
            (0..cycle.duration(steps).ns()).map(|at| cycle.progress(ns(at), steps).stepping).collect();
        // A save of the same steps that is over, or under way, counts from when it began.
        let made: Vec<Option<usize>> =
            (0..=steps).map(|n| stepped.iter().position(|stepping| *stepping >= cycle.stepping(n))).collect();
        for seen in 0..stepped.len() {
            let boundary = (0..=steps).find(|n| cycle.stepping(*n) >= stepped[seen]).unwrap();
            for lost in seen..stepped.len() {
                let fits = |n: &u64| {
                    // The last save may still wait for an upload, so it does not count.
                    let begun = if *n == steps { seen } else { 0 };
                    made[*n as usize].is_some_and(|at| at.max(begun) as u64 + whole <= lost as u64)
                };
                let first = Some(boundary).filter(fits);
                let last = first.and_then(|first| (first..=steps).rev().find(fits));
                for (late, right) in [(false, first), (true, last)] {
                    let (seen, lost) = (ns(seen as u64), ns(lost as u64));
                    let warned = warned(seen, lost, ns(whole), late);
                    let ours = cycle.steps_saved_at_notice(warned, steps);
                    let right = right.filter(|n| *n > 0);
                    assert_eq!(ours, right, "{one:?} seen {seen} lost {lost} late {late}");
                }
            }
        }
    }
}
