/* SPDX-License-Identifier: Apache-2.0 */
/** What every module shares: the mark of the public interface, {@link io.paritas.PublicApi}. */
package io.paritas;
