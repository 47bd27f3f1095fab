/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Parameter servers for recommendation models that keep training when a server fails. Embedding tables are
 * erasure-coded, the neural network is replicated, and the updates of an iteration are committed on all servers or on
 * none.
 *
 * <p>Words used throughout:
 *
 * <ul>
 *   <li><b>Table</b>: an embedding table. Its rows are coded in <b>stripes</b> of k rows and one parity unit, each on
 *       another server. The <b>owner</b> of a row is the server with its data unit; a <b>parity server</b> has a parity
 *       unit.
 *   <li><b>Block</b>: parameters of the neural network, such as the weights of one layer, on one server or two. The
 *       <b>first replica</b> orders the updates of a block, the second one follows.
 *   <li><b>Worker</b>: a task that trains. It pulls parameters, and pushes the gradients of one <b>iteration</b> after
 *       another. To commit an iteration it makes <b>attempts</b>, each with a
 *       {@link io.paritas.spark.ecrm.protocol.TxId}.
 *   <li><b>Driver</b>: decides who is a server. It publishes a {@link io.paritas.spark.ecrm.protocol.View}, and each
 *       new view begins an <b>epoch</b>.
 *   <li><b>Candidate</b>: a task that waits to become a server. <b>Replacement</b>: a server that took the number of a
 *       failed one and recovers its units from the others while it serves.
 * </ul>
 *
 * <p>Packages, from the bottom: {@code placement} computes which server keeps what, {@code table} keeps it,
 * {@code protocol} has the messages, {@code read} decodes units of failed servers. {@code server}, {@code client} and
 * {@code membership} are the three state machines: they take messages and the time, return messages to send, and have
 * no threads, sockets or clocks. {@code checkpoint} stores models in files; {@code transport} and {@code host} run all
 * of it on Spark.
 *
 * <p>Source: J. Kosaian, "Practical Coding-Theoretic Tools for Machine Learning Systems and by Machine Learning
 * Systems", Ph.D. thesis, Carnegie Mellon University, CMU-CS-23-110, 2023, chapter 5.
 */
package io.paritas.spark.ecrm;
