//! Streams, events, and kernels launched on them.

#![expect(unsafe_code, reason = "calls into NVIDIA's driver")]

use super::BackendError;
use super::driver::{Address, Context, Handle};
use std::ffi::{CString, c_uint, c_void};
use std::ptr;
use std::rc::Rc;

/// Work in order.
pub(super) struct Stream {
    context: Rc<Context>,
    stream: Handle,
}

impl Stream {
    pub(super) fn new(context: &Rc<Context>) -> Result<Self, BackendError> {
        let mut stream = ptr::null_mut();
        // SAFETY: the pointer is to a live handle. Flag 1: it does not wait for the default stream.
        let result = unsafe { (context.functions().cuStreamCreate)(&raw mut stream, 1) };
        context.check("cuStreamCreate", result)?;
        Ok(Self { context: Rc::clone(context), stream })
    }

    pub(super) fn handle(&self) -> Handle {
        self.stream
    }

    /// Waits until all work is done; says what went wrong in it.
    pub(super) fn wait(&self) -> Result<(), BackendError> {
        // SAFETY: the stream lives.
        let result = unsafe { (self.context.functions().cuStreamSynchronize)(self.stream) };
        self.context.check("cuStreamSynchronize", result)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: made by `new` and destroyed once.
        unsafe { (self.context.functions().cuStreamDestroy_v2)(self.stream) };
    }
}

/// A moment on a stream.
pub(super) struct Event {
    context: Rc<Context>,
    event: Handle,
}

impl Event {
    pub(super) fn new(context: &Rc<Context>) -> Result<Self, BackendError> {
        let mut event = ptr::null_mut();
        // SAFETY: the pointer is to a live handle. Flag 0: with the time.
        let result = unsafe { (context.functions().cuEventCreate)(&raw mut event, 0) };
        context.check("cuEventCreate", result)?;
        Ok(Self { context: Rc::clone(context), event })
    }

    pub(super) fn record(&self, stream: &Stream) -> Result<(), BackendError> {
        // SAFETY: both handles live.
        let result = unsafe { (self.context.functions().cuEventRecord)(self.event, stream.handle()) };
        self.context.check("cuEventRecord", result)
    }

    /// Waits for it; seconds from an earlier one.
    pub(super) fn seconds_since(&self, begin: &Self) -> Result<f64, BackendError> {
        let mut milliseconds = 0.0;
        let functions = self.context.functions();
        // SAFETY: both handles live, and the pointer is to a live number.
        let results = unsafe {
            let waited = (functions.cuEventSynchronize)(self.event);
            self.context.check("cuEventSynchronize", waited)?;
            (functions.cuEventElapsedTime)(&raw mut milliseconds, begin.event, self.event)
        };
        self.context.check("cuEventElapsedTime", results)?;
        Ok(f64::from(milliseconds) / 1e3)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: made by `new` and destroyed once.
        unsafe { (self.context.functions().cuEventDestroy_v2)(self.event) };
    }
}

/// Compiled kernels, loaded.
pub(super) struct Module {
    context: Rc<Context>,
    module: Handle,
}

/// A kernel of a module.
pub(super) struct Kernel {
    // Holds the code.
    module: Rc<Module>,
    function: Handle,
}

/// An argument of a kernel.
#[derive(Debug, Clone, Copy)]
pub(super) enum Argument {
    Pointer(Address),
    Count(u64),
    Float(f32),
}

/// How many blocks, of how many threads, with how many bytes of shared memory beyond those that the kernel declares.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) blocks: [u64; 2],
    pub(super) threads: u32,
    pub(super) shared: u32,
}

impl Module {
    /// Loads an image: code for the device, or PTX that ends with a 0 byte.
    pub(super) fn new(context: &Rc<Context>, image: &[u8]) -> Result<Rc<Self>, BackendError> {
        let mut module = ptr::null_mut();
        // SAFETY: the image is NVRTC's, which says its own length.
        let result =
            unsafe { (context.functions().cuModuleLoadData)(&raw mut module, image.as_ptr().cast()) };
        context.check("cuModuleLoadData", result)?;
        Ok(Rc::new(Self { context: Rc::clone(context), module }))
    }

    pub(super) fn kernel(self: &Rc<Self>, name: &'static str, shared: u32) -> Result<Kernel, BackendError> {
        let text = CString::new(name).expect("kernels have plain names");
        let mut function = ptr::null_mut();
        let functions = self.context.functions();
        // SAFETY: the module lives; the text ends with a 0 byte.
        let result =
            unsafe { (functions.cuModuleGetFunction)(&raw mut function, self.module, text.as_ptr()) };
        self.context.check("cuModuleGetFunction", result)?;
        if shared > 0 {
            // Attribute 8: so many bytes of dynamic shared memory. Above 48 KiB a kernel must ask for them.
            let bytes = i32::try_from(shared).expect("shared memory is small");
            // SAFETY: the function lives.
            let result = unsafe { (functions.cuFuncSetAttribute)(function, 8, bytes) };
            self.context.check("cuFuncSetAttribute", result)?;
        }
        Ok(Kernel { module: Rc::clone(self), function })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: loaded by `new` and unloaded once; kernels hold it.
        unsafe { (self.context.functions().cuModuleUnload)(self.module) };
    }
}

impl Kernel {
    /// Puts it on a stream.
    pub(super) fn launch(
        &self,
        stream: &Stream,
        shape: Shape,
        arguments: &[Argument],
    ) -> Result<(), BackendError> {
        // Each lies in eight bytes of its own, the low ones first: one of four bytes is read from the first four.
        let mut words: Vec<u64> = arguments
            .iter()
            .map(|argument| match *argument {
                Argument::Pointer(value) | Argument::Count(value) => value,
                Argument::Float(value) => u64::from(value.to_bits()),
            })
            .collect();
        let mut pointers: Vec<*mut c_void> =
            words.iter_mut().map(|word| ptr::from_mut(word).cast::<c_void>()).collect();
        // The driver knows how many there are; a null at the end shows a mistake in their number at once.
        pointers.push(ptr::null_mut());
        let [x, y] = shape.blocks.map(|blocks| c_uint::try_from(blocks).unwrap_or(c_uint::MAX));
        let context = &self.module.context;
        // SAFETY: the arguments outlive the call, which copies them. What the kernel touches is the device's memory.
        let result = unsafe {
            (context.functions().cuLaunchKernel)(
                self.function,
                x,
                y,
                1,
                shape.threads,
                1,
                1,
                shape.shared,
                stream.handle(),
                pointers.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        context.check("cuLaunchKernel", result)
    }
}
