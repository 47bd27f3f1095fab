/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.inference.serving.ServedModel;
import java.io.Serializable;

/**
 * What a task must know to be a client of a deployment's instances: {@link Deployment#handle} makes it, a lambda takes it along.
 *
 * @param model that is served
 * @param host where the driver listens for instances and for those who ask for them
 * @param port the same
 */
public record ServingHandle(ServedModel model, String host, int port) implements Serializable {}
