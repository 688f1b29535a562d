//! Counts of a plain vision transformer, from its shape alone.

/// Colours of an image.
const CHANNELS: u64 = 3;

/// Shape of a plain vision transformer, as timm builds it: one linear patch embedding, blocks of
/// attention and a two-layer MLP, a norm and a linear head.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VitShape {
    /// Side of the square image, pixels.
    pub image_px: u32,
    /// Side of a patch, pixels.
    pub patch_px: u32,
    /// Numbers per token.
    pub width: u32,
    /// Blocks.
    pub depth: u32,
    /// Attention heads; they share out the width.
    pub heads: u32,
    /// Hidden width of the MLP over `width`.
    pub mlp_ratio: f64,
    /// Classes told apart.
    pub classes: u32,
    /// Tokens that are no patches: class token, distillation token, registers.
    pub extra_tokens: u32,
}

/// One parameter tensor. Vectors have one row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tensor {
    /// Its name in timm; those of a block without `blocks.N`.
    pub name: &'static str,
    /// First dimension, or 1.
    pub rows: u64,
    /// Product of the other dimensions.
    pub columns: u64,
    /// Share of backward's arithmetic that is done when its gradient is ready, above 0 and at most 1.
    pub ready: f64,
}

impl Tensor {
    /// Numbers in it.
    pub fn elements(&self) -> u64 {
        self.rows * self.columns
    }
}

impl VitShape {
    /// Patches of an image.
    pub fn patches(&self) -> u64 {
        u64::from(self.image_px / self.patch_px).pow(2)
    }

    /// Tokens of an image.
    pub fn tokens(&self) -> u64 {
        self.patches() + u64::from(self.extra_tokens)
    }

    /// Hidden width of the MLP.
    pub fn hidden(&self) -> u64 {
        (f64::from(self.width) * self.mlp_ratio).round() as u64
    }

    /// Numbers of one patch, all colours.
    pub fn patch_numbers(&self) -> u64 {
        CHANNELS * u64::from(self.patch_px).pow(2)
    }

    /// Numbers of one image, all colours.
    pub fn image_numbers(&self) -> u64 {
        CHANNELS * u64::from(self.image_px).pow(2)
    }

    /// Trained parameters.
    pub fn params(&self) -> u64 {
        self.tensors().iter().map(Tensor::elements).sum()
    }

    /// Multiply-accumulates of one sample's forward pass.
    pub fn forward_macs(&self) -> u64 {
        let macs = self.macs();
        macs.patch + u64::from(self.depth) * macs.block() + macs.head
    }

    /// Activations of one sample's forward pass: the outputs of its matrix products.
    pub fn forward_activations(&self) -> u64 {
        let (n, d) = (self.tokens(), u64::from(self.width));
        // qkv, attention's output, proj and fc2 are `d` wide: six in all. fc1 is `hidden` wide.
        let block = (6 * d + self.hidden()) * n + u64::from(self.heads) * n * n;
        self.patches() * d + u64::from(self.depth) * block + u64::from(self.classes)
    }

    /// FLOP of one sample's training step: two per multiply-accumulate, forward once and backward twice.
    pub fn train_flop(&self) -> f64 {
        6.0 * self.forward_macs() as f64
    }

    /// The parameter tensors in order of definition. `DistributedDataParallel` fills its buckets from the
    /// last to the first. A linear layer's gradients are ready after both of its backward products; a
    /// norm's after the layer that it feeds.
    pub fn tensors(&self) -> Vec<Tensor> {
        let (d, hidden, depth) = (u64::from(self.width), self.hidden(), u64::from(self.depth));
        let macs = self.macs();
        // Backward is two products for each of forward, but the image needs no gradient.
        let block = 2 * macs.block();
        let whole = macs.patch + depth * block + 2 * macs.head;
        let share = |done: u64| done as f64 / whole as f64;
        let tensor = |name, rows, columns, done| Tensor { name, rows, columns, ready: share(done) };

        let mut tensors = Vec::with_capacity(7 + 12 * self.depth as usize);
        let embedded = whole - macs.patch;
        if self.extra_tokens > 0 {
            tensors.push(tensor("cls_token", 1, d, embedded));
        }
        if self.extra_tokens > 1 {
            tensors.push(tensor("extra_tokens", 1, u64::from(self.extra_tokens - 1) * d, embedded));
        }
        tensors.push(tensor("pos_embed", 1, self.tokens() * d, embedded));
        tensors.push(tensor("patch_embed.proj.weight", d, self.patch_numbers(), whole));
        tensors.push(tensor("patch_embed.proj.bias", 1, d, whole));
        for index in 0..depth {
            let before = 2 * macs.head + (depth - 1 - index) * block;
            let fc2 = before + 2 * macs.fc;
            let fc1 = fc2 + 2 * macs.fc;
            let proj = fc1 + 2 * macs.proj;
            let qkv = before + block;
            tensors.extend([
                tensor("norm1.weight", 1, d, qkv),
                tensor("norm1.bias", 1, d, qkv),
                tensor("attn.qkv.weight", 3 * d, d, qkv),
                tensor("attn.qkv.bias", 1, 3 * d, qkv),
                tensor("attn.proj.weight", d, d, proj),
                tensor("attn.proj.bias", 1, d, proj),
                tensor("norm2.weight", 1, d, fc1),
                tensor("norm2.bias", 1, d, fc1),
                tensor("mlp.fc1.weight", hidden, d, fc1),
                tensor("mlp.fc1.bias", 1, hidden, fc1),
                tensor("mlp.fc2.weight", d, hidden, fc2),
                tensor("mlp.fc2.bias", 1, d, fc2),
            ]);
        }
        let classes = u64::from(self.classes);
        tensors.push(tensor("norm.weight", 1, d, 2 * macs.head));
        tensors.push(tensor("norm.bias", 1, d, 2 * macs.head));
        tensors.push(tensor("head.weight", classes, d, 2 * macs.head));
        tensors.push(tensor("head.bias", 1, classes, 2 * macs.head));
        tensors
    }

    fn macs(&self) -> Macs {
        let (n, d) = (self.tokens(), u64::from(self.width));
        Macs {
            patch: self.patches() * self.patch_numbers() * d,
            qkv: 3 * n * d * d,
            attention: 2 * n * n * d,
            proj: n * d * d,
            fc: n * d * self.hidden(),
            head: u64::from(self.classes) * d,
        }
    }
}

/// Multiply-accumulates of one sample's forward pass, by layer.
struct Macs {
    patch: u64,
    qkv: u64,
    attention: u64,
    proj: u64,
    /// Of each of the MLP's two layers.
    fc: u64,
    head: u64,
}

impl Macs {
    /// One block's.
    fn block(&self) -> u64 {
        self.qkv + self.attention + self.proj + 2 * self.fc
    }
}

#[cfg(test)]
#[path = "vit_tests.rs"]
pub(super) mod tests;
