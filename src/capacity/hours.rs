//! Rates that change with the hour of the week.

/// Hours of a week; the first is Monday's from midnight, UTC.
pub const HOURS: usize = 168;
/// Seconds of an hour.
const HOUR_S: f64 = 3_600.0;
/// Seconds of a week.
const WEEK_S: f64 = HOURS as f64 * HOUR_S;

/// A clock that runs faster or slower by the hour of the week: an event that comes at a rate times the
/// hour's factor is exponential on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Clock {
    factors: Vec<f64>,
    /// What it shows at the beginning of each hour, seconds since the week began, and at the week's end.
    shown_s: Vec<f64>,
}

impl Clock {
    /// From the factors of a day's hours and, if weekdays differ, of Monday to Sunday. `None` where it
    /// never runs, or where a factor is below 0 or not finite.
    pub fn new(by_hour: &[f64; 24], by_weekday: &[f64; 7]) -> Option<Self> {
        let factors: Vec<f64> =
            by_weekday.iter().flat_map(|day| by_hour.iter().map(move |hour| day * hour)).collect();
        let mut shown_s = vec![0.0];
        for factor in &factors {
            shown_s.push(shown_s[shown_s.len() - 1] + factor * HOUR_S);
        }
        let runs = factors.iter().all(|factor| *factor >= 0.0 && factor.is_finite());
        (runs && shown_s[HOURS] > 0.0 && shown_s[HOURS].is_finite()).then_some(Self { factors, shown_s })
    }

    /// The factor of an hour of the week.
    pub fn factor(&self, hour: usize) -> f64 {
        self.factors[hour]
    }

    /// Mean factor over the week.
    pub fn mean_factor(&self) -> f64 {
        self.shown_s[HOURS] / WEEK_S
    }

    /// What it shows `week_s` seconds into a week.
    pub fn shown_at(&self, week_s: f64) -> f64 {
        let hour = ((week_s / HOUR_S) as usize).min(HOURS - 1);
        self.shown_s[hour] + (week_s - hour as f64 * HOUR_S) * self.factors[hour]
    }

    /// Seconds from `week_s` into a week until it has run for `needed_s`, above 0: the inverse of the
    /// cumulative hazard, which is linear within an hour.
    pub fn time_for(&self, needed_s: f64, week_s: f64) -> f64 {
        let target_s = self.shown_at(week_s) + needed_s;
        let weeks = (target_s / self.shown_s[HOURS]).floor();
        let rest_s = (target_s - weeks * self.shown_s[HOURS]).max(0.0);
        // The last hour that begins before; where it stood still, the one in which it went on.
        let hour = self.shown_s.partition_point(|&shown| shown <= rest_s).clamp(1, HOURS) - 1;
        let into_s = match self.factors[hour] {
            0.0 => 0.0,
            factor => (rest_s - self.shown_s[hour]) / factor,
        };
        (weeks * WEEK_S + hour as f64 * HOUR_S + into_s - week_s).max(0.0)
    }
}

/// Chance that an on/off process is on at each hour of the week, where it is lost at `loss_per_s` and comes
/// back at `return_per_s`, each times the factor of its clock, after so long a history that its beginning is
/// forgotten. The last value is that of the week's end: the first again.
///
/// Within an hour p' = b(1 − p) − a·p has the solution p* + (p − p*)·exp(−(a + b)t) with p* = b / (a + b). A
/// week is then a linear map of p, and the periodic solution its fixed point.
pub fn periodic_chances(loss_per_s: f64, return_per_s: f64, loss: &Clock, back: &Clock) -> Vec<f64> {
    let goes_on = |p: f64, hour: usize| {
        up_chance_after(p, HOUR_S, loss_per_s * loss.factor(hour), return_per_s * back.factor(hour))
    };
    let week = |p: f64| (0..HOURS).fold(p, goes_on);
    let (from_down, from_up) = (week(0.0), week(1.0));
    let mut p = from_down / (1.0 - (from_up - from_down));
    let mut chances = vec![p];
    for hour in 0..HOURS {
        p = goes_on(p, hour);
        chances.push(p);
    }
    chances
}

/// Chance that an on/off process is on `t_s` after it was on with chance `p`, at constant rates.
pub fn up_chance_after(p: f64, t_s: f64, loss_per_s: f64, return_per_s: f64) -> f64 {
    let both = loss_per_s + return_per_s;
    if both == 0.0 {
        return p;
    }
    let settled = return_per_s / both;
    settled + (p - settled) * libm::exp(-both * t_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_hour(factor: impl Fn(usize) -> f64) -> [f64; 24] {
        std::array::from_fn(factor)
    }

    /// Twice as fast from noon on, Sundays not at all: by hand.
    fn clock() -> Clock {
        let days = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0];
        Clock::new(&by_hour(|hour| if hour < 12 { 1.0 } else { 2.0 }), &days).unwrap()
    }

    #[test]
    fn time_on_the_clock_is_told_by_hand() {
        let (clock, h) = (clock(), 3_600.0);
        assert_eq!(clock.time_for(2.0 * h, 0.0), 2.0 * h);
        assert_eq!(clock.time_for(2.0 * h, 11.0 * h), 1.5 * h);
        // Saturday at 23:00: 2 h until midnight, and the rest on Monday.
        assert_eq!(clock.time_for(3.0 * h, 143.0 * h), 26.0 * h);
        // Sunday at noon: it stands until Monday.
        assert_eq!(clock.time_for(1.0 * h, 156.0 * h), 13.0 * h);
        // A whole week more.
        assert_eq!(clock.time_for((2.0 + 6.0 * 36.0) * h, 0.0), (2.0 + 168.0) * h);
        assert!((clock.mean_factor() - 6.0 * 36.0 / 168.0).abs() < 1e-12);
    }

    #[test]
    fn a_clock_that_never_runs_is_none() {
        assert_eq!(Clock::new(&[0.0; 24], &[1.0; 7]), None);
        assert_eq!(Clock::new(&[1.0; 24], &[f64::NAN; 7]), None);
    }

    /// With constant factors the chance is that of the two rates; with others it obeys its differential
    /// equation, here solved anew by 20 weeks of Euler steps of 10 s, good to about 10 s × rate.
    #[test]
    fn the_chance_of_an_hour_solves_its_equation() {
        let even = Clock::new(&[1.0; 24], &[1.0; 7]).unwrap();
        let still = periodic_chances(1.0 / 7_200.0, 1.0 / 2_400.0, &even, &even);
        assert!(still.iter().all(|p| (p - 0.75).abs() < 1e-12));
        let (loss, back) = (clock(), Clock::new(&by_hour(|hour| hour as f64 / 12.0), &[1.0; 7]).unwrap());
        let chances = periodic_chances(1.0 / 7_200.0, 1.0 / 2_400.0, &loss, &back);
        let (mut p, step_s) = (0.5, 10.0);
        for week in 0..20 {
            for (hour, chance) in chances[..HOURS].iter().enumerate() {
                if week == 19 {
                    assert!((p - chance).abs() < 5e-3, "hour {hour}: {p}, not {chance}");
                }
                for _ in 0..360 {
                    let (down, up) = (loss.factor(hour) / 7_200.0, back.factor(hour) / 2_400.0);
                    p += step_s * (up * (1.0 - p) - down * p);
                }
            }
        }
    }
}
