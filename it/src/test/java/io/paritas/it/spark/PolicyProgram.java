/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import io.paritas.spark.ec.HdfsPolicy;
import java.io.IOException;
import org.apache.spark.sql.SparkSession;

/** A program whose DataFrames are stored with an erasure coding policy of their own. */
public final class PolicyProgram {
    private PolicyProgram() {}

    /**
     * Writes a table, and prints what is asked and refused.
     *
     * @param arguments the root of HDFS, the policy of the table, one that the root has, and one that is not enabled
     */
    public static void main(String[] arguments) throws IOException {
        String table = arguments[0] + "/tables/t";
        String policy = arguments[1];
        try (SparkSession session = SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", false)
                .getOrCreate()) {
            refused(() -> HdfsPolicy.set(session, table, arguments[3]));
            HdfsPolicy.set(session, table, policy);
            HdfsPolicy.check(session, table, policy);
            System.out.println(HdfsPolicy.get(session, arguments[0] + "/") + " " + HdfsPolicy.get(session, table));
            session.range(0, 7, 1, 2).write().parquet(table + "/rows");
            session.range(0, 1000, 1, 2).write().mode("overwrite").parquet(table + "/rows");
            HdfsPolicy.check(session, table + "/rows", policy);
            System.out.println(session.read().parquet(table + "/rows").count());
            refused(() -> HdfsPolicy.set(session, table, arguments[2]));
            refused(() -> HdfsPolicy.check(session, table, arguments[2]));
            String deleted = arguments[0] + "/tables/deleted";
            HdfsPolicy.set(session, deleted, policy);
            session.range(0, 10, 1, 2).write().mode("overwrite").parquet(deleted);
            refused(() -> HdfsPolicy.check(session, deleted, policy));
        }
    }

    private static void refused(Call call) throws IOException {
        try {
            call.run();
            System.out.println("not refused");
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
    }

    private interface Call {
        void run() throws IOException;
    }
}
