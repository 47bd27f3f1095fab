/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec;

import org.apache.spark.SparkConf;
import org.apache.spark.rpc.RpcAddress;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcTimeout;
import scala.concurrent.Future;
import scala.reflect.ClassTag;

/** A way to the driver that hands on what it is asked, to be changed by tests. */
public abstract class RelayingEndpoint extends RpcEndpointRef {
    private static final long serialVersionUID = 1;

    private final transient RpcEndpointRef driver;

    /** Hands on to the driver. */
    protected RelayingEndpoint(RpcEndpointRef driver) {
        super(new SparkConf(false));
        this.driver = driver;
    }

    @Override
    public final RpcAddress address() {
        return driver.address();
    }

    @Override
    public final String name() {
        return driver.name();
    }

    @Override
    public final void send(Object message) {
        driver.send(message);
    }

    @Override
    public <T> Future<T> ask(Object message, RpcTimeout timeout, ClassTag<T> type) {
        return driver.ask(message, timeout, type);
    }
}
