/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.store;

import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.netty.NettyBlockTransferService;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.io.ChunkedByteBuffer;
import scala.Option;
import scala.reflect.ClassTag$;

/** The blocks of another executor, in the driver's JVM: it serves them, and runs no tasks. */
final class SecondExecutor implements AutoCloseable {
    private final BlockManager blocks;
    private volatile long lateMillis;

    SecondExecutor() {
        SparkEnv driver = SparkEnv.get();
        SparkConf conf = driver.conf();
        SecurityManager security = driver.securityManager();
        NettyBlockTransferService network = new NettyBlockTransferService(
                conf, security, driver.serializerManager(), "127.0.0.1", "localhost", 0, 1, null);
        this.blocks =
                new BlockManager(
                        "second",
                        driver.rpcEnv(),
                        driver.blockManager().master(),
                        driver.serializerManager(),
                        conf,
                        UnifiedMemoryManager.apply(conf, 1),
                        driver.mapOutputTracker(),
                        driver.shuffleManager(),
                        network,
                        security,
                        Option.empty()) {
                    @Override
                    public ManagedBuffer getLocalBlockData(BlockId block) {
                        SecondExecutor.sleep(lateMillis);
                        return super.getLocalBlockData(block);
                    }
                };
        blocks.initialize(conf.getAppId());
    }

    /** From now on, gives others its blocks so much later. */
    void beLate(long millis) {
        lateMillis = millis;
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    BlockManagerId id() {
        return blocks.blockManagerId();
    }

    void put(BlockId block, ChunkedByteBuffer bytes) {
        blocks.putBytes(block, bytes, StorageLevel.MEMORY_ONLY_SER(), true, ClassTag$.MODULE$.apply(byte[].class));
    }

    @Override
    public void close() {
        blocks.master().removeExecutor("second");
        blocks.stop();
    }
}
