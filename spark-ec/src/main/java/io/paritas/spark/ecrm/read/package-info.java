/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Degraded reads, which workers and servers share: units of a failed server are read from the other servers of their
 * stripes and decoded.
 *
 * <p>Source: J. Kosaian, "Practical Coding-Theoretic Tools for Machine Learning Systems and by Machine Learning
 * Systems", Ph.D. thesis, Carnegie Mellon University, CMU-CS-23-110, 2023, chapter 5.
 */
package io.paritas.spark.ecrm.read;
