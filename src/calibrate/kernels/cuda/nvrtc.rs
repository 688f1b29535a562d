//! NVRTC: kernels compiled for the device at hand.

#![expect(unsafe_code, reason = "calls into NVRTC")]

use super::BackendError;
use super::driver::{Handle, text_of};
use super::library::{Found, NVRTC, functions};
use std::ffi::{CStr, CString, c_char, c_int};
use std::path::PathBuf;
use std::ptr;

functions! {
    /// Functions that every version has.
    Functions {
        nvrtcVersion(*mut c_int, *mut c_int);
        nvrtcCreateProgram(
            *mut Handle, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char
        );
        nvrtcCompileProgram(Handle, c_int, *const *const c_char);
        nvrtcDestroyProgram(*mut Handle);
        nvrtcGetProgramLogSize(Handle, *mut usize);
        nvrtcGetProgramLog(Handle, *mut c_char);
        nvrtcGetPTXSize(Handle, *mut usize);
        nvrtcGetPTX(Handle, *mut c_char);
        nvrtcGetCUBINSize(Handle, *mut usize);
        nvrtcGetCUBIN(Handle, *mut c_char);
        nvrtcGetNumSupportedArchs(*mut c_int);
        nvrtcGetSupportedArchs(*mut c_int);
    }
}

type ErrorString = unsafe extern "C" fn(c_int) -> *const c_char;
type Size = unsafe extern "C" fn(Handle, *mut usize) -> c_int;
type Bytes = unsafe extern "C" fn(Handle, *mut c_char) -> c_int;

/// The compiler.
pub(super) struct Nvrtc {
    functions: Functions,
    error_string: ErrorString,
    library: Found,
}

/// What came of a text.
pub(super) struct Compiled {
    /// Code for the device, or PTX.
    pub(super) image: Vec<u8>,
    /// What the compiler remarked.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests hold that it is empty"))]
    pub(super) log: String,
}

/// A program, destroyed with this value.
struct Program<'a>(&'a Nvrtc, Handle);

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: created once and destroyed once.
        unsafe { (self.0.functions.nvrtcDestroyProgram)(&raw mut self.1) };
    }
}

impl Nvrtc {
    pub(super) fn open(folders: &[PathBuf], driver_major: Option<i32>) -> Result<Self, BackendError> {
        let library = NVRTC.open(folders, driver_major)?;
        // SAFETY: the type is that of the library's documentation.
        let error_string = unsafe { library.function("nvrtcGetErrorString")? };
        Ok(Self { functions: Functions::load(&library)?, error_string, library })
    }

    /// Where it was found, and its version.
    pub(super) fn describe(&self) -> Result<(String, String), BackendError> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are to live integers.
        let result = unsafe { (self.functions.nvrtcVersion)(&raw mut major, &raw mut minor) };
        self.check("nvrtcVersion", result)?;
        Ok((self.library.path().to_owned(), format!("{major}.{minor}")))
    }

    /// Architectures that it compiles for: 90 for sm_90.
    pub(super) fn architectures(&self) -> Result<Vec<i32>, BackendError> {
        let mut count = 0;
        // SAFETY: the pointer is to a live integer.
        let result = unsafe { (self.functions.nvrtcGetNumSupportedArchs)(&raw mut count) };
        self.check("nvrtcGetNumSupportedArchs", result)?;
        let mut all = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: the vector has room for as many as the call before said.
        let result = unsafe { (self.functions.nvrtcGetSupportedArchs)(all.as_mut_ptr()) };
        self.check("nvrtcGetSupportedArchs", result)?;
        Ok(all)
    }

    /// Compiles a text for a device: into its own code where this compiler knows it, else into PTX of the latest
    /// architecture before it, which the driver translates.
    pub(super) fn compile(
        &self,
        text: &str,
        defines: &[String],
        architecture: i32,
    ) -> Result<Compiled, BackendError> {
        let known = self.architectures()?;
        let own = known.contains(&architecture);
        let target = known.iter().copied().filter(|known| *known <= architecture).max().ok_or_else(|| {
            BackendError::Absent(format!("{} cannot compile for sm_{architecture}", self.library.path()))
        })?;
        let kind = if own { "sm" } else { "compute" };
        let mut options = vec![format!("--gpu-architecture={kind}_{target}"), "--std=c++17".to_owned()];
        options.extend(defines.iter().map(|define| format!("-D{define}")));
        let program = self.program(text)?;
        let options: Vec<CString> =
            options.into_iter().map(|it| CString::new(it).expect("options are plain text")).collect();
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: all pointers live through the call, and their number is right.
        let result = unsafe {
            (self.functions.nvrtcCompileProgram)(
                program.1,
                c_int::try_from(pointers.len()).expect("there are few options"),
                pointers.as_ptr(),
            )
        };
        let functions = &self.functions;
        let log = self.bytes(&program, functions.nvrtcGetProgramLogSize, functions.nvrtcGetProgramLog)?;
        let log = text_of(&log).trim().to_owned();
        self.check("nvrtcCompileProgram", result).map_err(|error| match error {
            BackendError::Call { call, why } => BackendError::Call { call, why: format!("{why}\n{log}") },
            other => other,
        })?;
        let image = if own {
            self.bytes(&program, functions.nvrtcGetCUBINSize, functions.nvrtcGetCUBIN)?
        } else {
            self.bytes(&program, functions.nvrtcGetPTXSize, functions.nvrtcGetPTX)?
        };
        Ok(Compiled { image, log })
    }

    fn program(&self, text: &str) -> Result<Program<'_>, BackendError> {
        let text = CString::new(text).expect("kernels are plain text");
        let mut program = ptr::null_mut();
        // SAFETY: both texts end with a 0 byte and are copied; there are no headers.
        let result = unsafe {
            (self.functions.nvrtcCreateProgram)(
                &raw mut program,
                text.as_ptr(),
                c"spotsim.cu".as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            )
        };
        self.check("nvrtcCreateProgram", result)?;
        Ok(Program(self, program))
    }

    fn bytes(&self, program: &Program<'_>, size: Size, get: Bytes) -> Result<Vec<u8>, BackendError> {
        let mut count = 0;
        // SAFETY: the program lives, and the pointer is to a live integer.
        self.check("nvrtcGet...Size", unsafe { size(program.1, &raw mut count) })?;
        let mut bytes = vec![0_u8; count];
        // SAFETY: the vector has as many bytes as the call before said.
        self.check("nvrtcGet...", unsafe { get(program.1, bytes.as_mut_ptr().cast()) })?;
        Ok(bytes)
    }

    fn check(&self, call: &'static str, result: c_int) -> Result<(), BackendError> {
        if result == 0 {
            return Ok(());
        }
        // SAFETY: the text is a constant of the library for every result.
        let why = unsafe { CStr::from_ptr((self.error_string)(result)) }.to_string_lossy().into_owned();
        Err(BackendError::Call { call, why: format!("{why} ({result})") })
    }
}
