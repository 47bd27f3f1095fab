/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import io.paritas.PublicApi;

/** Whether rows are exchanged before they are coded. */
@PublicApi
public enum Exchange {
    /** Yes: coding groups are formed first and exchanged. */
    ALWAYS,
    /** No: groups are formed by the position of rows, which must always come in the same order. */
    NEVER
}
