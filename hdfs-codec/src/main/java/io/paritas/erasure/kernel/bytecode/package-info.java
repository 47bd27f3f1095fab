/* SPDX-License-Identifier: Apache-2.0 */
/** Classes that are written in bytecode, with ASM, and defined in this JVM: kernels, and calls of machine code. */
package io.paritas.erasure.kernel.bytecode;
