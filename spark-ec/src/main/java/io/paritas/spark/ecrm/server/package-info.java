/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A parameter server as a state machine: {@link io.paritas.spark.ecrm.server.ShardServer} takes messages and the time,
 * hands them to its parts, and passes messages to send to an outbox. No threads, sockets or clocks.
 *
 * <table>
 * <caption>The parts of a server</caption>
 * <tr><th>Part</th><th>What it does</th><th>Thesis</th></tr>
 * <tr><td>ServerContext</td><td>what all parts share: model, view, shards, time, outbox</td><td></td></tr>
 * <tr><td>ReadHandler</td><td>answers reads of rows, blocks and units</td><td>5.3.4</td></tr>
 * <tr><td>Transactions</td><td>stages and commits the attempts of workers: votes, outcomes</td><td>5.3.5</td></tr>
 * <tr><td>RowStaging, ParityStaging</td><td>the owner's and the parity server's part of an attempt</td><td>5.3.5</td></tr>
 * <tr><td>RowChains</td><td>with two phases: which updates of a row build on which</td><td></td></tr>
 * <tr><td>Attempts, Attempt</td><td>what the server remembers of each worker's last attempt</td><td>5.3.5</td></tr>
 * <tr><td>Outcomes</td><td>ends attempts: as their worker says, by a refusal, or as the driver says for a dead worker</td><td>5.3.5</td></tr>
 * <tr><td>DelayedPushes</td><td>delays attempts while updates are on hold or a range is closed</td><td></td></tr>
 * <tr><td>KeptPushes</td><td>keeps updates that were refused or delayed, so that they are not sent again</td><td></td></tr>
 * <tr><td>ParityUpdates</td><td>with one phase: adds differences to parities, in the order of versions</td><td>5.3.2</td></tr>
 * <tr><td>BlockReplicas</td><td>keeps both replicas of a block equal</td><td>5.3.3</td></tr>
 * <tr><td>OnDemandRecovery</td><td>on a replacement: recovers the units that a request waits for</td><td>5.3.4</td></tr>
 * <tr><td>RangeRecovery</td><td>on a replacement: recovers all other units, one locked range after another</td><td>5.3.4</td></tr>
 * <tr><td>LostUnits</td><td>knows the units that no server can decode any more</td><td></td></tr>
 * <tr><td>RangeLocks</td><td>grants range locks to replacements</td><td>5.3.4</td></tr>
 * <tr><td>UpdateHold</td><td>holds updates back while a checkpoint is written</td><td></td></tr>
 * </table>
 *
 * <p>Source: J. Kosaian, "Practical Coding-Theoretic Tools for Machine Learning Systems and by Machine Learning
 * Systems", Ph.D. thesis, Carnegie Mellon University, CMU-CS-23-110, 2023, chapter 5.
 */
package io.paritas.spark.ecrm.server;
