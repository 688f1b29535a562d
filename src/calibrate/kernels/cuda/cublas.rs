//! cuBLAS: matrix products, called as PyTorch calls it.

#![expect(unsafe_code, reason = "calls into cuBLAS")]

use super::BackendError;
use super::driver::{Address, Context, Handle};
use super::library::{CUBLAS, Found, functions};
use super::memory::Memory;
use super::stream::Stream;
use crate::calibrate::kernels::{Number, Pass};
use crate::compute::Product;
use std::ffi::{c_int, c_longlong, c_void};
use std::path::PathBuf;
use std::ptr;
use std::rc::Rc;

functions! {
    /// Functions of cuBLAS.
    Functions {
        cublasCreate_v2(*mut Handle);
        cublasDestroy_v2(Handle);
        cublasGetProperty(c_int, *mut c_int);
        cublasSetStream_v2(Handle, Handle);
        cublasSetMathMode(Handle, c_int);
        cublasSetWorkspace_v2(Handle, Address, usize);
        cublasGemmEx(
            Handle, c_int, c_int, c_int, c_int, c_int, *const c_void, Address, c_int, c_int, Address, c_int, c_int,
            *const c_void, Address, c_int, c_int, c_int, c_int
        );
        cublasGemmStridedBatchedEx(
            Handle, c_int, c_int, c_int, c_int, c_int, *const c_void, Address, c_int, c_int, c_longlong, Address,
            c_int, c_int, c_longlong, *const c_void, Address, c_int, c_int, c_longlong, c_int, c_int, c_int
        );
    }
}

/// The library, before a device is chosen.
pub(super) struct Cublas {
    functions: Functions,
    library: Found,
}

/// A product's operands in the device's memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operands {
    pub(super) left: Address,
    pub(super) right: Address,
    pub(super) result: Address,
}

impl Cublas {
    pub(super) fn open(folders: &[PathBuf], driver_major: Option<i32>) -> Result<Self, BackendError> {
        let library = CUBLAS.open(folders, driver_major)?;
        Ok(Self { functions: Functions::load(&library)?, library })
    }

    /// Where it was found, and its version.
    pub(super) fn describe(&self) -> Result<(String, String), BackendError> {
        let part = |property| {
            let mut value = 0;
            // SAFETY: the pointer is to a live integer.
            check("cublasGetProperty", unsafe {
                (self.functions.cublasGetProperty)(property, &raw mut value)
            })?;
            Ok::<c_int, BackendError>(value)
        };
        Ok((self.library.path().to_owned(), format!("{}.{}.{}", part(0)?, part(1)?, part(2)?)))
    }
}

/// cuBLAS on a device's stream.
pub(super) struct Products {
    cublas: Cublas,
    handle: Handle,
    // Holds the context that the handle was made in, and the memory that it works in.
    context: Rc<Context>,
    _workspace: Option<Memory>,
}

impl Products {
    pub(super) fn new(
        cublas: Cublas,
        context: &Rc<Context>,
        stream: &Stream,
        major: i32,
    ) -> Result<Self, BackendError> {
        context.enter()?;
        let mut handle = ptr::null_mut();
        // SAFETY: the pointer is to a live handle, and the context is this thread's.
        check("cublasCreate", unsafe { (cublas.functions.cublasCreate_v2)(&raw mut handle) })?;
        let mut products = Self { cublas, handle, context: Rc::clone(context), _workspace: None };
        let functions = &products.cublas.functions;
        // SAFETY: both handles live.
        check("cublasSetStream", unsafe { (functions.cublasSetStream_v2)(handle, stream.handle()) })?;
        // As PyTorch by default: ":4096:8" from Hopper on, else ":4096:2:16:8".
        let bytes = if major >= 9 { 4096 * 8 * 1024 } else { (4096 * 2 + 16 * 8) * 1024 };
        if let Some(workspace) = Memory::new(context, bytes)? {
            let bytes = usize::try_from(bytes).expect("a small number");
            // SAFETY: the memory lives as long as the handle.
            let result = unsafe { (functions.cublasSetWorkspace_v2)(handle, workspace.address(), bytes) };
            check("cublasSetWorkspace", result)?;
            products._workspace = Some(workspace);
        }
        Ok(products)
    }

    /// Puts `result = left · right` on the stream, all row-major. cuBLAS counts by columns, to which a row-major
    /// matrix is its transpose: it is asked for `resultᵀ = rightᵀ · leftᵀ`.
    pub(super) fn multiply(
        &self,
        product: &Product,
        pass: Pass,
        number: Number,
        operands: Operands,
    ) -> Result<(), BackendError> {
        self.context.enter()?;
        let [m, n, k, batch] = [product.m, product.n, product.k, product.batch]
            .map(|size| c_int::try_from(size).unwrap_or(c_int::MAX));
        // Operation 1 transposes what lies there. Lines are a column of cuBLAS' apart, which is a row of ours.
        let (right_operation, right_line) = if pass.right_transposed() { (1, k) } else { (0, n) };
        let (left_operation, left_line) = if pass.left_transposed() { (1, m) } else { (0, k) };
        // Numbers by cuBLAS: data types, then how sums are computed: in fp32, or from TF32 products. The choice of the
        // algorithm is cuBLAS': by 99, as PyTorch asks for 16-bit numbers; by -1 for others, as its manual lets 99
        // narrow fp32 operands to fp16, and PyTorch calls `cublasSgemm` there.
        let (data, compute, math, algorithm) = match number {
            Number::Bf16 => (14, 68, 0, 99),
            Number::Fp16 => (2, 68, 0, 99),
            Number::Tf32 => (0, 77, 3, -1),
            Number::Fp32 => (0, 68, 0, -1),
        };
        let (one, zero) = (1.0_f32, 0.0_f32);
        let (alpha, beta) = (ptr::from_ref(&one).cast(), ptr::from_ref(&zero).cast());
        let functions = &self.cublas.functions;
        // SAFETY: the handle lives.
        check("cublasSetMathMode", unsafe { (functions.cublasSetMathMode)(self.handle, math) })?;
        let Operands { left, right, result } = operands;
        if batch == 1 {
            // SAFETY: the factors live through the call; the operands are the device's memory.
            let status = unsafe {
                (functions.cublasGemmEx)(
                    self.handle,
                    right_operation,
                    left_operation,
                    n,
                    m,
                    k,
                    alpha,
                    right,
                    data,
                    right_line,
                    left,
                    data,
                    left_line,
                    beta,
                    result,
                    data,
                    n,
                    compute,
                    algorithm,
                )
            };
            return check("cublasGemmEx", status);
        }
        let between = |one: u64, other: u64| c_longlong::try_from(one * other).unwrap_or(c_longlong::MAX);
        // SAFETY: as above.
        let status = unsafe {
            (functions.cublasGemmStridedBatchedEx)(
                self.handle,
                right_operation,
                left_operation,
                n,
                m,
                k,
                alpha,
                right,
                data,
                right_line,
                between(product.k, product.n),
                left,
                data,
                left_line,
                between(product.m, product.k),
                beta,
                result,
                data,
                n,
                between(product.m, product.n),
                batch,
                compute,
                algorithm,
            )
        };
        check("cublasGemmStridedBatchedEx", status)
    }
}

impl Drop for Products {
    fn drop(&mut self) {
        drop(self.context.enter());
        // SAFETY: made by `new` and destroyed once, before the memory that it works in.
        unsafe { (self.cublas.functions.cublasDestroy_v2)(self.handle) };
    }
}

/// Names of `cublasStatus_t`; the library tells them only from version 11.4.2 on.
fn check(call: &'static str, status: c_int) -> Result<(), BackendError> {
    let name = match status {
        0 => return Ok(()),
        1 => "CUBLAS_STATUS_NOT_INITIALIZED",
        3 => "CUBLAS_STATUS_ALLOC_FAILED",
        7 => "CUBLAS_STATUS_INVALID_VALUE",
        8 => "CUBLAS_STATUS_ARCH_MISMATCH",
        11 => "CUBLAS_STATUS_MAPPING_ERROR",
        13 => "CUBLAS_STATUS_EXECUTION_FAILED",
        14 => "CUBLAS_STATUS_INTERNAL_ERROR",
        15 => "CUBLAS_STATUS_NOT_SUPPORTED",
        16 => "CUBLAS_STATUS_LICENSE_ERROR",
        _ => "an unknown status",
    };
    Err(BackendError::Call { call, why: format!("{name} ({status})") })
}
