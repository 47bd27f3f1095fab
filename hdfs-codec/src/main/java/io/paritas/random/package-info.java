/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Random numbers that repeat: the same on every machine and JVM, in any order of computation.
 *
 * <p>Source: G. L. Steele Jr., D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators", Proceedings of the
 * 2014 ACM International Conference on Object Oriented Programming Systems Languages &amp; Applications (OOPSLA '14).
 */
package io.paritas.random;
