/* SPDX-License-Identifier: Apache-2.0 */
/** {@code paritas recommend}: training of a recommendation model that goes on when a parameter server is killed. */
package io.paritas.examples.recommend;
