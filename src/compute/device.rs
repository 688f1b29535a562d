//! Time of single kernels on one accelerator.

/// What an accelerator can do, and what share of it kernels reach.
///
/// Efficiencies cover what the formulas of this room leave out: clocks below the data sheet's, power
/// limits, software. With one efficiency for both, set both to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Device {
    /// Dense peak in the precision of the step, sums in fp32, FLOP/s.
    pub peak_flop_per_s: f64,
    /// Memory bandwidth by data sheet, bytes/s.
    pub bandwidth_bytes_per_s: f64,
    /// Streaming multiprocessors, for the waves of small products; `None` leaves waves out.
    pub sms: Option<u32>,
    /// Share of the peak that arithmetic reaches besides the losses that [`Product`] counts, above 0.
    pub compute_efficiency: f64,
    /// Share of the bandwidth that kernels reach, above 0.
    pub memory_efficiency: f64,
    /// Share of the bandwidth that the softmax of unfused attention reaches, above 0. Above 1 where software
    /// moves less than is counted for it.
    pub score_efficiency: f64,
    /// Host time to launch one kernel, seconds.
    pub launch_s: f64,
}

impl Device {
    /// The same with one efficiency for everything.
    pub fn with_efficiency(self, efficiency: f64) -> Self {
        Self {
            compute_efficiency: efficiency,
            memory_efficiency: efficiency,
            score_efficiency: efficiency,
            ..self
        }
    }

    /// Seconds of so much arithmetic at `share` of the peak, the device's efficiency aside.
    pub fn arithmetic_s(&self, flop: f64, share: f64) -> f64 {
        flop / (self.peak_flop_per_s * self.compute_efficiency * share)
    }

    /// Seconds to read and write so many bytes of the device's memory.
    pub fn traffic_s(&self, bytes: f64) -> f64 {
        bytes / (self.bandwidth_bytes_per_s * self.memory_efficiency)
    }

    /// Seconds of so many bytes of unfused attention's scores.
    pub fn score_traffic_s(&self, bytes: f64) -> f64 {
        bytes / (self.bandwidth_bytes_per_s * self.score_efficiency)
    }

    /// Seconds of a matrix product whose numbers are `number_bytes` wide.
    pub fn product_s(&self, product: &Product, number_bytes: f64) -> f64 {
        let share = product.tile_share() * product.depth_share() * product.wave_share(self.sms);
        self.arithmetic_s(product.flop(), share).max(self.traffic_s(product.numbers() * number_bytes))
    }
}

/// Side of the square of the result that one thread block computes, as in the libraries' large kernels.
const TILE: u64 = 128;
/// Depth at which a product reaches half its rate: filling and emptying the pipeline costs as much.
/// This and [`TILE`] are the reference's roofline model, section 2, set by hand with measured products in sight.
const HALF_RATE_DEPTH: f64 = 96.0;

/// `batch` matrix products of m × k by k × n.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Product {
    /// Rows of the result.
    pub m: u64,
    /// Columns of the result.
    pub n: u64,
    /// Depth: products summed for each number of the result.
    pub k: u64,
    /// How many.
    pub batch: u64,
}

impl Product {
    /// One product.
    pub fn one(m: u64, n: u64, k: u64) -> Self {
        Self { m, n, k, batch: 1 }
    }

    /// Arithmetic.
    pub fn flop(&self) -> f64 {
        2.0 * self.m as f64 * self.n as f64 * self.k as f64 * self.batch as f64
    }

    /// Numbers read and written.
    pub fn numbers(&self) -> f64 {
        let (m, n, k) = (self.m as f64, self.n as f64, self.k as f64);
        self.batch as f64 * (m * k + k * n + m * n)
    }

    /// One product from its shape in calibration files; `None` if `shape` is not of three sizes above 0.
    pub(super) fn parse(shape: &str) -> Option<Self> {
        let mut sizes = shape.split('x').map(|size| size.parse().ok());
        let product = Self::one(sizes.next()??, sizes.next()??, sizes.next()??);
        let whole = product.m > 0 && product.n > 0 && product.k > 0;
        (whole && sizes.next().is_none()).then_some(product)
    }

    /// Its shape in calibration files: `"25216x2304x768"`, a batch before it.
    pub fn shape(&self) -> String {
        let Self { m, n, k, batch } = self;
        if *batch == 1 { format!("{m}x{n}x{k}") } else { format!("{batch}x{m}x{n}x{k}") }
    }

    /// Share of the tiles that is result.
    fn tile_share(&self) -> f64 {
        let padded = |side: u64| (side.div_ceil(TILE) * TILE) as f64;
        self.m as f64 * self.n as f64 / (padded(self.m) * padded(self.n))
    }

    fn depth_share(&self) -> f64 {
        self.k as f64 / (self.k as f64 + HALF_RATE_DEPTH)
    }

    /// Share of multiprocessors at work, averaged over the waves in which they take the tiles. Libraries
    /// split products that are deeper than wide, as those for weight gradients, until they fill the chip.
    fn wave_share(&self, sms: Option<u32>) -> f64 {
        match sms {
            Some(sms) if self.k <= self.m.max(self.n) => {
                let tiles = self.m.div_ceil(TILE) * self.n.div_ceil(TILE) * self.batch;
                let waves = tiles as f64 / f64::from(sms);
                waves / waves.ceil()
            }
            _ => 1.0,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Peak and bandwidth of the worked case: an A10G at its data sheet.
    pub(in crate::compute) const A10G: Device = Device {
        peak_flop_per_s: 70e12,
        bandwidth_bytes_per_s: 600e9,
        sms: None,
        compute_efficiency: 1.0,
        memory_efficiency: 1.0,
        score_efficiency: 1.0,
        launch_s: 0.0,
    };

    /// Section 3 of the reference's roofline model: ViT-B/16, batch 128, in milliseconds.
    #[test]
    fn products_take_the_times_of_the_worked_case() {
        for (m, n, k, ms) in [
            (25_216, 2304, 768, 1.43),
            (25_216, 768, 2304, 1.33),
            (2304, 768, 25_216, 1.28),
            (25_216, 768, 768, 0.48),
            (768, 768, 25_216, 0.43),
            (25_216, 3072, 768, 1.91),
            (25_216, 768, 3072, 1.75),
            (3072, 768, 25_216, 1.71),
            (25_088, 768, 768, 0.48),
            (768, 768, 25_088, 0.42),
        ] {
            let modelled = A10G.product_s(&Product::one(m, n, k), 2.0) * 1e3;
            assert!((modelled - ms).abs() < 0.006, "{m}x{n}x{k}: {modelled} ms");
        }
    }

    /// 1000 columns fill 1000 of 1024, and 128 is one tile.
    #[test]
    fn half_empty_tiles_waste_arithmetic() {
        assert_eq!(Product::one(128, 1000, 768).tile_share(), 1000.0 / 1024.0);
    }

    /// 81 tiles on 80 multiprocessors: the second wave holds one.
    #[test]
    fn one_tile_too_many_takes_a_wave_of_its_own() {
        let product = Product::one(81 * 128, 128, 128);
        assert!((product.wave_share(Some(80)) - 81.0 / 160.0).abs() < 1e-12);
    }

    #[test]
    fn weight_gradients_are_split_and_fill_the_chip() {
        assert_eq!(Product::one(768, 768, 25_216).wave_share(Some(80)), 1.0);
    }

    #[test]
    fn a_shape_reads_back_as_its_product() {
        let product = Product::one(25_216, 2304, 768);
        assert_eq!(Product::parse(&product.shape()), Some(product));
        for other in ["25216x2304", "1536x197x197x64", "25216x2304xk"] {
            assert_eq!(Product::parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_small_product_is_bound_by_its_bytes() {
        let product = Product::one(128, 128, 16);
        let bytes = product.numbers() * 2.0;
        assert!(A10G.product_s(&product, 2.0) >= A10G.traffic_s(bytes));
        let slow_memory = Device { bandwidth_bytes_per_s: 1e6, ..A10G };
        assert_eq!(slow_memory.product_s(&product, 2.0), slow_memory.traffic_s(bytes));
    }
}
