/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.gpu;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import jcuda.CudaException;
import jcuda.NativePointerObject;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUjit_option;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUuuid;
import jcuda.driver.JCudaDriver;
import jcuda.driver.JITOptions;

/**
 * The part of CUDA's driver API that is used here. Each method is one entry point, handles and device addresses are longs, and a
 * failure is a {@link GpuException}. The only class that knows JCuda; {@link JCudaNatives} has loaded it before.
 *
 * <p>No static constant of JCuda here: the first touch of {@code JCudaDriver} loads its library.
 */
final class CudaDriver {
    /** Numbers of errors are smaller. */
    private static final int ERRORS = 1000;

    private static final int ERROR_LOG = 8192;
    private static final int CAPTURE_THREAD_LOCAL = 1;

    /** Turns numbers into handles, such as cuDF's: JCuda has no public way to do so. */
    private static final VarHandle HANDLE = handle();

    private CudaDriver() {}

    private static VarHandle handle() {
        try {
            return MethodHandles.privateLookupIn(NativePointerObject.class, MethodHandles.lookup())
                    .findVarHandle(NativePointerObject.class, "nativePointer", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static long number(NativePointerObject object) {
        return (long) HANDLE.get(object);
    }

    private static <T extends NativePointerObject> T of(T object, long number) {
        HANDLE.set((NativePointerObject) object, number);
        return object;
    }

    private static CUstream stream(long stream) {
        return of(new CUstream(), stream);
    }

    private static CUevent event(long event) {
        return of(new CUevent(), event);
    }

    private static CUdeviceptr address(long address) {
        return of(new CUdeviceptr(), address);
    }

    private static CUdevice device(int ordinal) {
        CUdevice device = new CUdevice();
        check("cuDeviceGet", () -> JCudaDriver.cuDeviceGet(device, ordinal));
        return device;
    }

    /** A call that returns a CUresult, or throws if another user of JCuda in this JVM has switched exceptions on. */
    private interface Call {
        int result();
    }

    private static void check(String name, Call call) {
        int error = result(call);
        if (error != CUresult.CUDA_SUCCESS) {
            int next = Gpu.isBound() ? result(() -> memory(new long[1])) : CUresult.CUDA_SUCCESS;
            throw noticed(GpuException.of(name, error, CUresult.stringFor(error), next));
        }
    }

    private static int result(Call call) {
        try {
            return call.result();
        } catch (CudaException e) {
            return number(e);
        }
    }

    /** The number of an error of which JCuda has kept the name only. */
    private static int number(CudaException e) {
        return IntStream.range(0, ERRORS)
                .filter(error -> CUresult.stringFor(error).equals(e.getMessage()))
                .findFirst()
                .orElse(CUresult.CUDA_ERROR_UNKNOWN);
    }

    /** Notes a GPU that is lost. */
    static GpuException noticed(GpuException failure) {
        if (failure.isLost()) {
            Gpu.lose(failure);
        }
        return failure;
    }

    static void initialise() {
        check("cuInit", () -> JCudaDriver.cuInit(0));
    }

    /** Such as 13000 for CUDA 13.0. */
    static int version() {
        int[] version = new int[1];
        check("cuDriverGetVersion", () -> JCudaDriver.cuDriverGetVersion(version));
        return version[0];
    }

    static int devices() {
        int[] count = new int[1];
        check("cuDeviceGetCount", () -> JCudaDriver.cuDeviceGetCount(count));
        return count[0];
    }

    static String deviceName(int ordinal) {
        byte[] name = new byte[256];
        CUdevice device = device(ordinal);
        check("cuDeviceGetName", () -> JCudaDriver.cuDeviceGetName(name, name.length, device));
        int length = 0;
        while (length < name.length && name[length] != 0) {
            length++;
        }
        return new String(name, 0, length, StandardCharsets.UTF_8);
    }

    static byte[] deviceUuid(int ordinal) {
        CUuuid uuid = new CUuuid();
        CUdevice device = device(ordinal);
        check("cuDeviceGetUuid", () -> JCudaDriver.cuDeviceGetUuid(uuid, device));
        return uuid.bytes;
    }

    /** Of the current context's device. */
    static long freeBytes() {
        long[] free = new long[1];
        check("cuMemGetInfo", () -> memory(free));
        return free[0];
    }

    private static int memory(long[] free) {
        return JCudaDriver.cuMemGetInfo(free, new long[1]);
    }

    /** @param attribute a number of {@code CUdevice_attribute} */
    static int deviceAttribute(int attribute, int ordinal) {
        int[] value = new int[1];
        CUdevice device = device(ordinal);
        check("cuDeviceGetAttribute", () -> JCudaDriver.cuDeviceGetAttribute(value, attribute, device));
        return value[0];
    }

    /** The context that CUDA's runtime, and so cuDF, also uses. */
    static long retainPrimaryContext(int ordinal) {
        CUcontext context = new CUcontext();
        CUdevice device = device(ordinal);
        check("cuDevicePrimaryCtxRetain", () -> JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
        return number(context);
    }

    static long currentContext() {
        CUcontext context = new CUcontext();
        check("cuCtxGetCurrent", () -> JCudaDriver.cuCtxGetCurrent(context));
        return number(context);
    }

    static void setCurrentContext(long context) {
        check("cuCtxSetCurrent", () -> JCudaDriver.cuCtxSetCurrent(of(new CUcontext(), context)));
    }

    /**
     * Assembles PTX for the current context's device.
     *
     * @throws GpuException with the assembler's log
     */
    static long loadModule(String ptx) {
        CUmodule module = new CUmodule();
        JITOptions options = new JITOptions();
        options.putBytes(CUjit_option.CU_JIT_ERROR_LOG_BUFFER, new byte[ERROR_LOG]);
        options.putInt(CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, ERROR_LOG);
        byte[] text = (ptx + '\0').getBytes(StandardCharsets.US_ASCII);
        try {
            check("cuModuleLoadDataEx", () -> JCudaDriver.cuModuleLoadDataJIT(module, Pointer.to(text), options));
        } catch (GpuException e) {
            String log = options.getString(CUjit_option.CU_JIT_ERROR_LOG_BUFFER);
            throw e.explained(e.getMessage() + (log == null || log.isBlank() ? "" : ": " + log.strip()));
        }
        return number(module);
    }

    static void unloadModule(long module) {
        check("cuModuleUnload", () -> JCudaDriver.cuModuleUnload(of(new CUmodule(), module)));
    }

    static long function(long module, String name) {
        CUfunction function = new CUfunction();
        check("cuModuleGetFunction", () -> JCudaDriver.cuModuleGetFunction(function, of(new CUmodule(), module), name));
        return number(function);
    }

    /** @param attribute a number of {@code CUfunction_attribute} */
    static void setFunctionAttribute(long function, int attribute, int value) {
        check(
                "cuFuncSetAttribute",
                () -> JCudaDriver.cuFuncSetAttribute(of(new CUfunction(), function), attribute, value));
    }

    /** @param arguments a pointer to each argument */
    static void launch(long function, LaunchShape shape, long stream, Object[] arguments) {
        Pointer[] pointers = new Pointer[arguments.length];
        for (int i = 0; i < pointers.length; i++) {
            pointers[i] = argument(i, arguments[i]);
        }
        check(
                "cuLaunchKernel",
                () -> JCudaDriver.cuLaunchKernel(
                        of(new CUfunction(), function),
                        shape.blocksX(),
                        shape.blocksY(),
                        shape.blocksZ(),
                        shape.threads(),
                        1,
                        1,
                        shape.sharedBytes(),
                        stream(stream),
                        Pointer.to(pointers),
                        null));
    }

    private static Pointer argument(int index, Object argument) {
        if (argument instanceof Long value) {
            return Pointer.to(new long[] {value});
        } else if (argument instanceof Integer value) {
            return Pointer.to(new int[] {value});
        } else if (argument instanceof Float value) {
            return Pointer.to(new float[] {value});
        } else if (argument instanceof long[] struct) {
            return Pointer.to(struct);
        } else if (argument instanceof int[] struct) {
            return Pointer.to(struct);
        } else if (argument instanceof float[] struct) {
            return Pointer.to(struct);
        }
        throw new IllegalArgumentException(
                "a kernel's argument must be a Long, Integer, Float, or an array of one of these for a struct,"
                        + " argument " + index + " is " + argument);
    }

    static long allocate(long bytes) {
        CUdeviceptr pointer = new CUdeviceptr();
        check("cuMemAlloc of " + bytes + " bytes", () -> JCudaDriver.cuMemAlloc(pointer, bytes));
        return number(pointer);
    }

    static void free(long address) {
        check("cuMemFree", () -> JCudaDriver.cuMemFree(address(address)));
    }

    /** Page-locked memory of the host. */
    static ByteBuffer allocateHost(int bytes) {
        Pointer pointer = new Pointer();
        check(
                "cuMemHostAlloc of " + bytes + " bytes of the host's memory",
                () -> JCudaDriver.cuMemHostAlloc(pointer, bytes, 0));
        return pointer.getByteBuffer(0, bytes);
    }

    /** @param buffer what {@link #allocateHost} returned */
    static void freeHost(ByteBuffer buffer) {
        check(
                "cuMemFreeHost",
                () -> JCudaDriver.cuMemFreeHost(
                        Pointer.toBuffer(buffer.duplicate().clear())));
    }

    /** @param from a direct buffer, whose remaining bytes are copied; must not change until the copy is done */
    static void copyToDevice(long to, ByteBuffer from, long stream) {
        check(
                "cuMemcpyHtoDAsync",
                () -> JCudaDriver.cuMemcpyHtoDAsync(
                        address(to), Pointer.toBuffer(from), from.remaining(), stream(stream)));
    }

    /** @param to a direct buffer; as many bytes as remain in it are copied */
    static void copyToHost(ByteBuffer to, long from, long stream) {
        check(
                "cuMemcpyDtoHAsync",
                () -> JCudaDriver.cuMemcpyDtoHAsync(
                        Pointer.toBuffer(to), address(from), to.remaining(), stream(stream)));
    }

    static void copyOnDevice(long to, long from, long bytes, long stream) {
        check(
                "cuMemcpyDtoDAsync",
                () -> JCudaDriver.cuMemcpyDtoDAsync(address(to), address(from), bytes, stream(stream)));
    }

    static void fill(long address, byte value, long bytes, long stream) {
        check("cuMemsetD8Async", () -> JCudaDriver.cuMemsetD8Async(address(address), value, bytes, stream(stream)));
    }

    /** A stream that does not wait for the legacy default stream. */
    static long createStream() {
        CUstream stream = new CUstream();
        check("cuStreamCreate", () -> JCudaDriver.cuStreamCreate(stream, 1));
        return number(stream);
    }

    static void destroyStream(long stream) {
        check("cuStreamDestroy", () -> JCudaDriver.cuStreamDestroy(stream(stream)));
    }

    static void synchronise(long stream) {
        check("cuStreamSynchronize", () -> JCudaDriver.cuStreamSynchronize(stream(stream)));
    }

    static void waitForEvent(long stream, long event) {
        check("cuStreamWaitEvent", () -> JCudaDriver.cuStreamWaitEvent(stream(stream), event(event), 0));
    }

    /** Further work of the stream is recorded, not done; work of other threads goes on. */
    static void beginCapture(long stream) {
        check("cuStreamBeginCapture", () -> JCudaDriver.cuStreamBeginCapture(stream(stream), CAPTURE_THREAD_LOCAL));
    }

    /** Returns a graph of what was recorded; if work of the stream was refused meanwhile, there is none. */
    static long endCapture(long stream) {
        CUgraph graph = new CUgraph();
        check("cuStreamEndCapture", () -> JCudaDriver.cuStreamEndCapture(stream(stream), graph));
        return number(graph);
    }

    static long instantiate(long graph) {
        CUgraphExec executable = new CUgraphExec();
        check("cuGraphInstantiate", () -> JCudaDriver.cuGraphInstantiate(executable, of(new CUgraph(), graph), 0));
        return number(executable);
    }

    static void destroyGraph(long graph) {
        check("cuGraphDestroy", () -> JCudaDriver.cuGraphDestroy(of(new CUgraph(), graph)));
    }

    static void launchGraph(long executable, long stream) {
        check("cuGraphLaunch", () -> JCudaDriver.cuGraphLaunch(of(new CUgraphExec(), executable), stream(stream)));
    }

    static void destroyExecutable(long executable) {
        check("cuGraphExecDestroy", () -> JCudaDriver.cuGraphExecDestroy(of(new CUgraphExec(), executable)));
    }

    static long createEvent() {
        CUevent event = new CUevent();
        check("cuEventCreate", () -> JCudaDriver.cuEventCreate(event, 0));
        return number(event);
    }

    static void recordEvent(long event, long stream) {
        check("cuEventRecord", () -> JCudaDriver.cuEventRecord(event(event), stream(stream)));
    }

    static void synchroniseEvent(long event) {
        check("cuEventSynchronize", () -> JCudaDriver.cuEventSynchronize(event(event)));
    }

    static float millisecondsBetween(long first, long second) {
        float[] milliseconds = new float[1];
        check("cuEventElapsedTime", () -> JCudaDriver.cuEventElapsedTime(milliseconds, event(first), event(second)));
        return milliseconds[0];
    }

    static void destroyEvent(long event) {
        check("cuEventDestroy", () -> JCudaDriver.cuEventDestroy(event(event)));
    }
}
