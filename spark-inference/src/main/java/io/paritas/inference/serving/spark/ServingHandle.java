/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import io.paritas.PublicApi;
import io.paritas.inference.serving.ServedModel;
import java.io.Serializable;

/**
 * A reference to a deployed version for tasks: {@link Deployment#handle} makes it, a lambda takes it along.
 *
 * @param model the served version
 * @param host of the driver, which lists instances to clients and registers instances
 * @param port of the driver
 */
@PublicApi
public record ServingHandle(ServedModel model, String host, int port) implements Serializable {}
