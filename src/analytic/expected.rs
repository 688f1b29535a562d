//! What a job comes to in the mean.

/// Means over all that may happen; infinite where the job may never finish.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Expected {
    /// Submit to finish.
    pub makespan_s: f64,
    /// Time with a gang.
    pub uptime_s: f64,
    /// Losses.
    pub interruptions: f64,
    /// Billed time, of one node.
    pub billed_s: f64,
    /// Time of one node that would be billed, were it not lost early.
    pub free_s: f64,
    /// What the minimum adds to the bill of one node that is given back when its gang is lost.
    pub topped_up_s: f64,
}

impl Expected {
    /// Of a job that may never finish.
    pub(super) const NEVER: Self = Self {
        makespan_s: f64::INFINITY,
        uptime_s: f64::INFINITY,
        interruptions: f64::INFINITY,
        billed_s: f64::INFINITY,
        free_s: f64::INFINITY,
        topped_up_s: f64::INFINITY,
    };

    /// The sum with `weight` times `other`.
    pub(super) fn plus(self, weight: f64, other: Self) -> Self {
        // Nothing times infinity is nothing: a state that is never entered costs nothing.
        if weight == 0.0 {
            return self;
        }
        Self {
            makespan_s: self.makespan_s + weight * other.makespan_s,
            uptime_s: self.uptime_s + weight * other.uptime_s,
            interruptions: self.interruptions + weight * other.interruptions,
            billed_s: self.billed_s + weight * other.billed_s,
            free_s: self.free_s + weight * other.free_s,
            topped_up_s: self.topped_up_s + weight * other.topped_up_s,
        }
    }
}
