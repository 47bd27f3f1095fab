/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.settings;

import io.paritas.PublicApi;

/** Whether rows are exchanged before they are coded. */
@PublicApi
public enum Exchange {
    /** Only where the plan does not prove that rows always come in the same order, or partitions differ much in size. */
    AUTO,
    /** Yes: coding groups are formed first and exchanged. */
    ALWAYS,
    /** No: groups are formed by the position of rows, which must always come in the same order. */
    NEVER
}
