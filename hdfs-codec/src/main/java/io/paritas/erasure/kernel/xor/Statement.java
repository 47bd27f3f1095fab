/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

/**
 * One n-ary xor of blocks. Blocks 0..inputs − 1 are the input strips, block inputs + i is pebble i.
 *
 * @param target block that is written; it may be one of the arguments
 * @param arguments blocks whose xor it becomes
 */
public record Statement(int target, int[] arguments) {}
