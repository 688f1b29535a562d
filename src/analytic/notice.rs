//! Jobs that save when they are told of their loss, and only then.

/// Losses at a constant rate, announced some time ahead; no periodic saves. Times in seconds.
///
/// An announced loss keeps the state as it was at the notice, if the save fits; an unannounced one loses
/// all since the incarnation's start. Work that can be done before a loss is done. A notice in the restart
/// saves nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noticed {
    /// Mean time from a fresh gang to its loss, above 0.
    pub mean_uptime_s: f64,
    /// Work to do.
    pub work_s: f64,
    /// Start of every gang, the first too, exposed to losses.
    pub restart_s: f64,
    /// Wait after each loss, not exposed.
    pub downtime_s: f64,
    /// From the notice to the loss.
    pub lead_s: f64,
    /// Chance that a loss is announced.
    pub probability: f64,
    /// A save; one longer than the lead is of no use.
    pub save_s: f64,
}

impl Noticed {
    /// Mean makespan.
    ///
    /// With K = 1/λ + D, c = e^{−λR}, u(x) = e^{−λx}, a(x) = A + B u(x), A = q e^{−λ(R + N)} and
    /// B = (1 − q) c, the makespan of x seconds of work obeys
    /// a(x) E(x) = K (1 − c u(x)) + A ∫ from N to x of λ e^{−λ(x − z)} E(z) dz, a linear equation for that
    /// integral. It is solved by E(T) = K (1 − c u(T))/a(T) + A K I, where I is the integral of
    /// (1 − c u)/(u a²) over u from u(T) to u(N).
    pub fn makespan_s(&self) -> f64 {
        let rate = 1.0 / self.mean_uptime_s;
        let each = self.mean_uptime_s + self.downtime_s;
        let useful = self.save_s <= self.lead_s && self.work_s > self.lead_s;
        if !useful || self.probability == 0.0 {
            return each * libm::expm1(rate * (self.restart_s + self.work_s));
        }
        let starts = libm::exp(-rate * self.restart_s);
        let outlives = |work_s: f64| libm::exp(-rate * work_s);
        let (at_lead, at_end) = (outlives(self.lead_s), outlives(self.work_s));
        let kept = self.probability * starts * at_lead;
        let unannounced = (1.0 - self.probability) * starts;
        let (a_lead, a_end) = (kept + unannounced * at_lead, kept + unannounced * at_end);
        let both = (at_lead - at_end) / (a_lead * a_end);
        // ln(1 + y) is what partial fractions give. Its parts cancel if y is small; and a large y overflows.
        let y = kept * (at_lead - at_end) / (at_end * a_lead);
        let integral = if y < 1.0 {
            (libm::log1p(y) - y) / (kept * kept) + both * (1.0 / at_end - starts)
        } else {
            let log = rate * (self.work_s - self.lead_s) - libm::log(a_lead / a_end);
            log / (kept * kept) - both * (unannounced / kept + starts)
        };
        each * ((1.0 - starts * at_end) / a_end + kept * integral)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: Noticed = Noticed {
        mean_uptime_s: 10_000.0,
        work_s: 36_000.0,
        restart_s: 300.0,
        downtime_s: 600.0,
        lead_s: 120.0,
        probability: 1.0,
        save_s: 60.0,
    };

    fn close(ours: f64, right: f64, relative: f64) {
        assert!((ours / right - 1.0).abs() < relative, "{ours}, right is {right}");
    }

    /// E(N) + (T − N) e^{λ(R + N)} (1 + λD): linear in the work.
    #[test]
    fn always_noticed_the_makespan_is_linear_in_the_work() {
        let right = 10_600.0 * libm::expm1(0.042) + 35_880.0 * libm::exp(0.042) * 1.06;
        close(JOB.makespan_s(), right, 1e-14);
        let long = Noticed { work_s: 1e8, ..JOB };
        close(
            long.makespan_s(),
            10_600.0 * libm::expm1(0.042) + (1e8 - 120.0) * libm::exp(0.042) * 1.06,
            1e-13,
        );
    }

    /// Work until a loss with chance 1 − q, seen from both sides of q = 0.
    #[test]
    fn a_rare_notice_changes_little() {
        let never = Noticed { probability: 0.0, ..JOB }.makespan_s();
        close(never, 10_600.0 * libm::expm1(3.63), 1e-14);
        close(Noticed { probability: 1e-9, ..JOB }.makespan_s(), never, 1e-7);
        close(Noticed { save_s: 121.0, ..JOB }.makespan_s(), never, 1e-15);
    }

    /// The equation of the doc comment solved by mpmath quadrature at 40 digits.
    #[test]
    fn both_forms_of_the_integral_agree_with_quadrature() {
        close(Noticed { probability: 0.9, ..JOB }.makespan_s(), 43_269.553_643_767_4, 1e-13);
        close(Noticed { probability: 0.01, ..JOB }.makespan_s(), 333_533.900_175_216_4, 1e-13);
    }
}
