//! Memory of the device and pinned memory of the host.

#![expect(unsafe_code, reason = "calls into NVIDIA's driver")]

use super::BackendError;
use super::driver::{Address, Context, OUT_OF_MEMORY};
use super::stream::Stream;
use std::ffi::c_void;
use std::ptr;
use std::rc::Rc;

/// Memory of the device, freed with this value.
pub(super) struct Memory {
    context: Rc<Context>,
    address: Address,
    bytes: usize,
}

impl Memory {
    /// `None` if the device has not so much left.
    pub(super) fn new(context: &Rc<Context>, bytes: u64) -> Result<Option<Self>, BackendError> {
        let bytes = usize::try_from(bytes).expect("addresses have 64 bits where CUDA runs");
        let mut address = 0;
        // SAFETY: the pointer is to a live address. No allocation may have 0 bytes.
        let result = unsafe { (context.functions().cuMemAlloc_v2)(&raw mut address, bytes.max(1)) };
        if result == OUT_OF_MEMORY {
            return Ok(None);
        }
        context.check("cuMemAlloc", result)?;
        Ok(Some(Self { context: Rc::clone(context), address, bytes }))
    }

    pub(super) fn address(&self) -> Address {
        self.address
    }

    /// Sets every byte to 255, which makes every number of every format not a number.
    pub(super) fn poison(&self, stream: &Stream) -> Result<(), BackendError> {
        // SAFETY: the bytes belong to this value.
        let result = unsafe {
            (self.context.functions().cuMemsetD8Async)(self.address, 255, self.bytes, stream.handle())
        };
        self.context.check("cuMemsetD8Async", result)
    }

    /// Copies all bytes of another of the same size, in the order of the stream.
    pub(super) fn copy_from(&self, source: &Self, stream: &Stream) -> Result<(), BackendError> {
        let bytes = self.bytes.min(source.bytes);
        // SAFETY: both have so many bytes.
        let result = unsafe {
            (self.context.functions().cuMemcpyDtoDAsync_v2)(
                self.address,
                source.address,
                bytes,
                stream.handle(),
            )
        };
        self.context.check("cuMemcpyDtoDAsync", result)
    }

    /// Copies from the host in the order of the stream. The caller waits for the stream while the source lives.
    pub(super) fn copy_from_host(&self, source: &[u8], stream: &Stream) -> Result<(), BackendError> {
        let bytes = self.bytes.min(source.len());
        // SAFETY: both have so many bytes; `Prepared` keeps the source and waits for the stream.
        let result = unsafe {
            (self.context.functions().cuMemcpyHtoDAsync_v2)(
                self.address,
                source.as_ptr().cast(),
                bytes,
                stream.handle(),
            )
        };
        self.context.check("cuMemcpyHtoDAsync", result)
    }

    /// Its bytes, after everything on the stream.
    pub(super) fn read(&self, stream: &Stream) -> Result<Vec<u8>, BackendError> {
        let mut bytes = vec![0; self.bytes];
        // SAFETY: the vector has so many bytes and lives until the stream has been waited for.
        let result = unsafe {
            (self.context.functions().cuMemcpyDtoHAsync_v2)(
                bytes.as_mut_ptr().cast(),
                self.address,
                self.bytes,
                stream.handle(),
            )
        };
        let copied = self.context.check("cuMemcpyDtoHAsync", result);
        stream.wait()?;
        copied.map(|()| bytes)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated by `new` and freed once; the driver waits for work that uses it.
        unsafe { (self.context.functions().cuMemFree_v2)(self.address) };
    }
}

/// Memory of the host that the device copies from by itself.
pub(super) struct Pinned {
    context: Rc<Context>,
    begin: *mut c_void,
    bytes: usize,
}

impl Pinned {
    pub(super) fn copy_of(context: &Rc<Context>, source: &[u8]) -> Result<Self, BackendError> {
        let mut begin = ptr::null_mut();
        // SAFETY: the pointer is to a live pointer.
        let result = unsafe { (context.functions().cuMemAllocHost_v2)(&raw mut begin, source.len().max(1)) };
        context.check("cuMemAllocHost", result)?;
        // SAFETY: so many bytes were allocated just now, and nobody else knows them.
        unsafe { ptr::copy_nonoverlapping(source.as_ptr(), begin.cast::<u8>(), source.len()) };
        Ok(Self { context: Rc::clone(context), begin, bytes: source.len() })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: allocated and written by `copy_of`, and never changed.
        unsafe { std::slice::from_raw_parts(self.begin.cast::<u8>(), self.bytes) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: allocated by `copy_of` and freed once.
        unsafe { (self.context.functions().cuMemFreeHost)(self.begin) };
    }
}
