/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.it.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * A random query with predictions over a star of tables, what befalls it, and what it is set to. The same seed makes the same one.
 *
 * @param text the query, in which {@code $p(x)$} is the prediction for x
 * @param sales where the rows of the fact table come from
 * @param partitions of the fact table
 * @param k batches of data in a group
 * @param r batches of parity in a group
 * @param options of the calls
 * @param settings of the session
 * @param trouble what befalls it
 * @param faults of tasks, if that is the trouble
 */
record SoakQuery(
        String text,
        Source sales,
        int partitions,
        int k,
        int r,
        Map<String, String> options,
        Map<String, String> settings,
        Trouble trouble,
        Map<Integer, Fault> faults) {
    private static final int LARGEST_K = 4;
    private static final int LARGEST_R = 2;
    private static final String LIMIT = " LIMIT ";

    /** Where rows come from. */
    enum Source {
        /** They are made. */
        RANGE,
        /** Files of Parquet. */
        FILES,
        /** Spark's columnar cache. */
        CACHED,
        /** An exchange, with another order each time. */
        SHUFFLED
    }

    /** What befalls a query. */
    enum Trouble {
        NONE,
        /** Tasks that predict are hit. */
        TASKS,
        /** Predictions that are kept for others are lost. */
        LOST_BLOCKS,
        /** It is cancelled. */
        CANCELLED
    }

    /** Over rows as they are in the table: these may stay where they are. */
    private static final String ROWS = """
        SELECT id, $p(x)$ AS p FROM sales
        SELECT id FROM sales WHERE $p(x)$[0] > #
        SELECT id, $p(x)$ AS p FROM sales LIMIT 2#
        SELECT id, crc32(note), $p(x)$[1] FROM (SELECT *, repeat(string(id), 20000) AS note FROM sales) WHERE quantity > #
        """;

    /** As TPC-DS asks: predictions in WHERE, JOIN, GROUP BY, HAVING, windows and subqueries. */
    private static final String STARS = """
        SELECT category, count(*), sum($p(x)$[0]) FROM sales JOIN items ON item = i GROUP BY category
        SELECT month, region, avg($p(x)$[1]), sum(quantity) FROM sales JOIN days ON day = d JOIN stores ON store = s WHERE quantity > # GROUP BY month, region
        SELECT id, i FROM sales JOIN items ON item = i AND $p(x)$[0] > $p(y)$[0]
        SELECT id, i FROM sales JOIN items ON $p(x)$[0] = $p(y)$[0] + #
        SELECT $p(x)$[0] AS score, count(*) FROM sales GROUP BY score HAVING count(*) > #
        SELECT id, rank() OVER (PARTITION BY store ORDER BY $p(x)$[0], id) FROM sales
        WITH totals AS (SELECT store, sum($p(x)$[0]) AS total FROM sales GROUP BY store) SELECT region, max(total) FROM totals JOIN stores ON store = s GROUP BY region
        SELECT category, id FROM sales JOIN items ON item = i WHERE $p(x)$[0] > (SELECT avg($p(y)$[0]) FROM items)
        SELECT i FROM items WHERE i IN (SELECT item FROM sales WHERE $p(x)$[0] > #)
        SELECT s FROM stores WHERE NOT EXISTS (SELECT 1 FROM sales WHERE store = s AND $p(x)$[1] > 1#)
        SELECT id, $p(x)$[0] AS score FROM sales ORDER BY score, id LIMIT 20
        SELECT id FROM sales WHERE $p(x)$[0] > # UNION ALL SELECT i FROM items WHERE $p(y)$[1] > #
        SELECT region, month, sum($p(x)$[0]) FROM sales JOIN stores ON store = s JOIN days ON day = d GROUP BY ROLLUP (region, month)
        SELECT category, count(DISTINCT $p(x)$[0]) FROM sales JOIN items ON item = i GROUP BY category
        SELECT DISTINCT store, $p(x)$[0] > # FROM sales
        SELECT id FROM sales LEFT ANTI JOIN items ON item = i AND $p(y)$[0] > #
        SELECT region, p FROM (SELECT store, $p(x)$[0] AS p FROM sales WHERE day < 1#) JOIN stores ON store = s WHERE p > #
        SELECT * FROM (SELECT category, month, $p(x)$[0] AS v FROM sales JOIN items ON item = i JOIN days ON day = d) PIVOT (sum(v) FOR month IN (0, 1, 2))
        """;

    static SoakQuery of(Random random) {
        boolean rows = random.nextInt(3) == 0;
        List<String> texts = (rows ? ROWS : STARS).lines().toList();
        Source sales = any(random, Source.values());
        int k = 2 + random.nextInt(LARGEST_K - 1);
        int r = 1 + random.nextInt(LARGEST_R);
        Map<String, String> options = new TreeMap<>();
        options.put("batchRows", any(random, "1", "3", "16", "64"));
        options.put("patience", any(random, "1", "1.5", "3"));
        options.put("share", any(random, "1", "1", "0.5"));
        boolean ordered = sales == Source.RANGE || sales == Source.FILES;
        options.put(
                "exchange", rows && ordered ? any(random, "auto", "always", "never") : any(random, "auto", "always"));
        Map<String, String> settings = Map.of(
                "spark.sql.adaptive.enabled",
                any(random, "true", "false"),
                "spark.sql.shuffle.partitions",
                any(random, "1", "3", "6"),
                "spark.sql.autoBroadcastJoinThreshold",
                any(random, "10MB", "-1"));
        Trouble trouble = any(
                random,
                Trouble.NONE,
                Trouble.TASKS,
                Trouble.TASKS,
                Trouble.TASKS,
                Trouble.TASKS,
                Trouble.LOST_BLOCKS,
                Trouble.CANCELLED);
        return new SoakQuery(
                any(random, texts.toArray(String[]::new)).replace("#", String.valueOf(random.nextInt(4))),
                sales,
                1 + random.nextInt(2 * k),
                k,
                r,
                options,
                settings,
                trouble,
                trouble == Trouble.TASKS ? faults(random, k + r) : Map.of());
    }

    /** As many segments of a stripe as may be lost, or one more. Executors are hit seldom: it takes them seconds to come back. */
    private static Map<Integer, Fault> faults(Random random, int n) {
        Map<Integer, Fault> faults = new TreeMap<>();
        for (int hits = 1 + random.nextInt(3); hits > 0; hits--) {
            faults.put(random.nextInt(n), any(random, Fault.LATE, Fault.THROW));
        }
        if (random.nextInt(5) == 0) {
            faults.put(random.nextInt(n), any(random, Fault.KILL, Fault.EXIT, Fault.FREEZE));
        }
        return faults;
    }

    @SafeVarargs
    private static <T> T any(Random random, T... values) {
        return values[random.nextInt(values.length)];
    }

    /** The query with a plain function that answers as the model does, without a limit that leaves out any rows. */
    String known() {
        String known = text.replace("$p(", "known(").replace(")$", ")");
        return limit() < 0 ? known : known.substring(0, known.indexOf(LIMIT));
    }

    /** The query with coded predictions that pass through the function {@code struck}. */
    String coded(KnownAnswers model) {
        List<String> pairs = new ArrayList<>();
        options.forEach((name, value) -> pairs.add(String.format(Locale.ROOT, "'%s', '%s'", name, value)));
        return text.replace("$p(", "struck(coded_predict('" + model.path() + "', ")
                .replace(")$", ", map(" + String.join(", ", pairs) + ")).prediction)");
    }

    /** How many rows are wanted, whichever they are; negative if all are. */
    int limit() {
        boolean any = text.contains(LIMIT) && !text.contains("ORDER BY");
        return any ? Integer.parseInt(text.substring(text.indexOf(LIMIT) + LIMIT.length())) : -1;
    }

    boolean freezes() {
        return faults.containsValue(Fault.FREEZE);
    }
}
