/* SPDX-License-Identifier: Apache-2.0 */
/** {@code paritas recommend}: trains a recommendation model that survives the loss of a parameter server. */
package io.paritas.cli.recommend;
