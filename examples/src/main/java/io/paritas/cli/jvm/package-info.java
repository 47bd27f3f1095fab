/* SPDX-License-Identifier: Apache-2.0 */
/** What the JVMs of other processes need. */
package io.paritas.cli.jvm;
