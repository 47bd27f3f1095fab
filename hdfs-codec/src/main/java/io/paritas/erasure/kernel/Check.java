/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel;

/** Whether results are checked against the folded equations. */
enum Check {
    FOLD,
    NONE
}
