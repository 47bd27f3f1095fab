/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Which server keeps which unit and which block, computed without state.
 *
 * <p>Source: J. Kosaian, "Practical Coding-Theoretic Tools for Machine Learning Systems and by Machine Learning
 * Systems", Ph.D. thesis, Carnegie Mellon University, CMU-CS-23-110, 2023, chapter 5.
 */
package io.paritas.spark.ecrm.placement;
