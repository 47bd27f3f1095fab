/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The messages between workers, servers and the driver, and their bytes ({@link io.paritas.spark.ecrm.protocol.Codec}).
 * Messages may be lost, duplicated and reordered: whoever waits for an answer asks again after
 * {@link io.paritas.spark.ecrm.protocol.Timing#retry}, and every receiver tolerates repetitions.
 *
 * <table>
 * <caption>Who sends what to whom</caption>
 * <tr><th>Message</th><th>From</th><th>To</th><th>Answer</th></tr>
 * <tr><th colspan="4">Reads: {@link io.paritas.spark.ecrm.protocol.ReadMessage}</th></tr>
 * <tr><td>PullRows</td><td>worker</td><td>owner of the rows</td><td>Parameters, or Lost</td></tr>
 * <tr><td>PullBlocks</td><td>worker</td><td>first replica</td><td>Parameters, or Lost</td></tr>
 * <tr><td>ReadUnits</td><td>worker, replacement</td><td>other servers of the stripes</td><td>Units</td></tr>
 * <tr><td>CopyBlock</td><td>replacement</td><td>the other replica</td><td>BlockCopy</td></tr>
 * <tr><th colspan="4">Commits: {@link io.paritas.spark.ecrm.protocol.CommitMessage}</th></tr>
 * <tr><td>Stage</td><td>worker</td><td>owner, replica</td><td>Staged, Refused, Delayed, Outdated,
 * or Lost; in one phase Finished</td></tr>
 * <tr><td>Restage</td><td>worker</td><td>owner, replica that has had the Stage</td><td>as to Stage, or Wanted</td></tr>
 * <tr><td>Wanted, unasked</td><td>server on hold that lacks the updates</td><td>worker</td><td>Stage</td></tr>
 * <tr><td>Opened</td><td>server that has answered Delayed</td><td>worker</td><td></td></tr>
 * <tr><td>StageParity</td><td>owner</td><td>parity server</td><td>ParityStaged, or Refused</td></tr>
 * <tr><td>Finish</td><td>worker; driver, for a dead worker</td><td>every server of the attempt</td><td>Finished</td></tr>
 * <tr><td>Order</td><td>first replica</td><td>second replica</td><td>Ordered</td></tr>
 * <tr><th colspan="4">Membership: {@link io.paritas.spark.ecrm.protocol.ViewMessage}</th></tr>
 * <tr><td>Offer</td><td>candidate</td><td>driver</td><td>Appoint, when a server is needed</td></tr>
 * <tr><td>Failed</td><td>appointed candidate</td><td>driver</td><td></td></tr>
 * <tr><td>Fence</td><td>driver; a server that has a newer view</td><td>servers, workers</td><td>Fenced, to the driver</td></tr>
 * <tr><td>Fenced</td><td>server (heartbeat), worker</td><td>driver</td><td>Fence, if the driver has a newer view;
 * Connected, to a worker that connects</td></tr>
 * <tr><td>Leave</td><td>worker that is closed</td><td>servers that it has asked</td><td></td></tr>
 * <tr><td>Recovering, Recovered</td><td>server that has just started</td><td>driver</td><td>Welcome, to Recovered</td></tr>
 * <tr><td>Orphaned</td><td>server</td><td>driver</td><td></td></tr>
 * <tr><td>Query</td><td>driver</td><td>servers</td><td>Status</td></tr>
 * <tr><td>Hold, Resume</td><td>driver</td><td>servers</td><td>Held</td></tr>
 * <tr><td>Save</td><td>driver</td><td>servers</td><td>Saved</td></tr>
 * <tr><th colspan="4">Recovery: {@link io.paritas.spark.ecrm.protocol.RangeMessage}</th></tr>
 * <tr><td>LockRange</td><td>replacement</td><td>other servers</td><td>Locked; Stepped, if refused</td></tr>
 * <tr><td>StepRange</td><td>replacement</td><td>other servers</td><td>Stepped</td></tr>
 * <tr><th colspan="4">Progress: {@link io.paritas.spark.ecrm.protocol.ProgressMessage}</th></tr>
 * <tr><td>Trained</td><td>worker</td><td>driver</td><td>Known</td></tr>
 * </table>
 *
 * <p>A receiver is a {@link io.paritas.spark.ecrm.protocol.MessageVisitor} with a method for each message that it acts
 * on.
 *
 * <p>Source: J. Kosaian, "Practical Coding-Theoretic Tools for Machine Learning Systems and by Machine Learning
 * Systems", Ph.D. thesis, Carnegie Mellon University, CMU-CS-23-110, 2023, chapter 5.
 */
package io.paritas.spark.ecrm.protocol;
