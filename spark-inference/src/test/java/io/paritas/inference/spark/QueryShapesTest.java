/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark;

import static io.paritas.inference.spark.LocalSession.predictions;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Queries of every shape have the rows that they have with a plain function that answers as the model does. */
class QueryShapesTest {
    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    /** {@code $p(x)$} is the prediction for x. */
    private static final String QUERIES = """
        SELECT id, (SELECT max($p(y)$[0]) FROM s) AS m FROM t
        SELECT id FROM t WHERE $p(x)$[0] > (SELECT avg($p(y)$[0]) FROM s)
        SELECT id, (SELECT max($p(y)$[0]) FROM s WHERE s.tid = t.id) AS m FROM t
        SELECT id, (SELECT max(y[0]) FROM s WHERE s.tid = t.id) AS m, $p(x)$ FROM t
        SELECT id FROM t WHERE EXISTS (SELECT 1 FROM s WHERE s.tid = t.id AND $p(y)$[0] > 3)
        SELECT id FROM t WHERE EXISTS (SELECT 1 FROM s WHERE s.tid = t.id AND $p(t.x)$[0] > 3)
        SELECT id FROM t WHERE EXISTS (SELECT 1 FROM s WHERE $p(s.y)$[0] = $p(t.x)$[0])
        SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM s WHERE $p(s.y)$[0] = $p(t.x)$[0])
        SELECT id FROM t WHERE id IN (SELECT tid FROM s WHERE $p(y)$[0] > 3)
        SELECT id FROM t WHERE $p(x)$[0] IN (SELECT $p(y)$[0] FROM s)
        SELECT id FROM t WHERE $p(x)$[0] NOT IN (SELECT $p(y)$[0] FROM s)
        SELECT id FROM t WHERE $p(x)$[0] IN (SELECT y[0] FROM s WHERE s.tid = t.id)
        SELECT id, v FROM t, LATERAL (SELECT $p(x)$[0] AS v)
        SELECT id, v FROM t, LATERAL (SELECT $p(array(x[0], x[1], float(id)))$[0] AS v)
        SELECT id, v FROM t, LATERAL (SELECT sum($p(y)$[0]) AS v FROM s WHERE s.tid = t.id)
        SELECT id, v FROM t LEFT JOIN LATERAL (SELECT $p(y)$[0] AS v FROM s WHERE s.tid = t.id)
        SELECT id, e FROM t, LATERAL explode($p(x)$) AS q(e)
        SELECT id, e FROM t LATERAL VIEW explode($p(x)$) AS e
        SELECT id, e FROM t JOIN LATERAL explode(x) AS q(e) ON $p(array(e, 1f, 1f))$[0] > 0
        SELECT id, sid FROM t JOIN LATERAL (SELECT sid, y FROM s WHERE tid = t.id) ON $p(y)$[0] > 3
        SELECT id, sid FROM t LEFT JOIN LATERAL (SELECT sid, y FROM s WHERE tid = t.id) ON $p(y)$[0] > 3
        SELECT id, sid FROM t JOIN LATERAL (SELECT sid, y FROM s WHERE tid = t.id) ON $p(x)$[0] > $p(y)$[0]
        SELECT id, sid FROM t JOIN LATERAL (SELECT sid, y FROM s) ON $p(y)$[0] > 0 AND sid = t.id
        SELECT id, sid FROM t JOIN LATERAL (SELECT sid, y FROM s) ON $p(array(x[0], y[0], 1f))$[0] > 3
        SELECT id, sid FROM t JOIN s ON $p(x)$[0] = $p(y)$[0]
        SELECT id, sid FROM t JOIN s ON id = tid AND $p(x)$[0] > $p(y)$[0]
        SELECT id, sid FROM t LEFT JOIN s ON id = tid AND $p(x)$[0] > 3
        SELECT id, sid FROM t FULL JOIN s ON $p(x)$[0] = $p(y)$[0] + 1
        SELECT id FROM t LEFT SEMI JOIN s ON $p(x)$[0] = $p(y)$[0]
        SELECT id, sid FROM t JOIN s ON $p(array(x[0], y[0], 1f))$[0] > 3
        SELECT id % 3, $p(array(float(id % 3), 1f, 2f))$[0], count(*) FROM t GROUP BY id % 3
        SELECT $p(x)$[0] AS k, count(*), sum(id) FROM t GROUP BY k
        SELECT x, $p(x)$[0], count(*) FROM t GROUP BY x
        SELECT x, $p(x)$[0], count(*) FROM t GROUP BY x, $p(x)$[0]
        SELECT id % 3 AS g, $p(array(float(id % 3), 1f, float(count(*))))$[0] FROM t GROUP BY g
        SELECT id % 3 AS g, count(*) FROM t GROUP BY g HAVING $p(array(float(g), 1f, float(count(*))))$[0] > 2
        SELECT id % 3 AS g, count(*) FROM t GROUP BY g ORDER BY $p(array(float(g), 1f, float(count(*))))$[0], g
        SELECT id % 3 AS g, id % 2 AS h, sum($p(x)$[0]) FROM t GROUP BY GROUPING SETS ((g), (h))
        SELECT $p(array(max(x[0]), max(x[1]), max(x[2])))$ FROM t
        SELECT id, $p(array(float(row_number() OVER (ORDER BY id)), 1f, 1f))$[0] FROM t
        SELECT id, sum($p(x)$[0]) OVER (PARTITION BY id % 3 ORDER BY id) FROM t
        SELECT id, transform(array(1, 2), v -> $p(x)$[0] + v) FROM t
        SELECT id, filter(array(1, 2, 3), v -> v > $p(x)$[0]) FROM t
        SELECT id, transform($p(x)$, v -> v + 1) FROM t
        SELECT id, aggregate($p(x)$, 0f, (a, v) -> a + v) FROM t
        SELECT id, if(id > 5, $p(x)$[0], 0) FROM t
        SELECT id, CASE WHEN $p(x)$[0] > 3 THEN $p(array(x[1], x[0], x[2]))$[1] END FROM t
        SELECT DISTINCT $p(x)$[0] FROM t
        SELECT id, $p(x)$[0] AS p FROM t QUALIFY row_number() OVER (PARTITION BY id % 3 ORDER BY $p(x)$[0], id) = 1
        SELECT id FROM t ORDER BY $p(x)$[0], id LIMIT 5
        SELECT $p(x)$[0] AS k FROM t UNION SELECT $p(y)$[0] FROM s
        SELECT $p(x)$[0] AS k FROM t EXCEPT SELECT $p(y)$[0] FROM s
        SELECT $p(x)$[0] AS k FROM t INTERSECT SELECT $p(y)$[0] FROM s
        SELECT * FROM (SELECT id % 3 AS g, id % 2 AS h, $p(x)$[0] AS v FROM t) PIVOT (sum(v) FOR h IN (0, 1))
        SELECT first($p(x)$[0]) IGNORE NULLS FROM t WHERE id = 3
        SELECT max_by(id, $p(x)$[0] * 100 + id), collect_set($p(x)$[0] > 3) FROM t
        SELECT count(*) FILTER (WHERE $p(x)$[0] > 3) FROM t
        SELECT t.id, (SELECT $p(t.x)$[0]) AS v FROM t
        WITH q AS (SELECT id, $p(x)$[0] AS v FROM t) SELECT a.id, b.id FROM q a JOIN q b ON a.v = b.v AND a.id < b.id
        SELECT id, (SELECT count(*) FROM t b WHERE $p(b.x)$[0] > $p(a.x)$[0]) AS c FROM t a
        """;

    @BeforeEach
    void tables() {
        LOCAL.registerKnown();
        LOCAL.rows(40).createOrReplaceTempView("t");
        LOCAL.spark()
                .range(0, 20, 1, 2)
                .selectExpr("id AS sid", "id * 2 AS tid", "array(float(id % 7), float(id % 2), float(id % 3)) AS y")
                .createOrReplaceTempView("s");
    }

    static Stream<String> queries() {
        return QUERIES.lines();
    }

    private static List<String> texts(Dataset<Row> query) {
        return query.collectAsList().stream().map(Row::toString).sorted().toList();
    }

    @ParameterizedTest
    @MethodSource("queries")
    void areAnsweredAsByAFunction(String query) {
        String spark = LOCAL.sql("SELECT version()").head().getString(0);
        assumeTrue(!query.contains("QUALIFY") || spark.compareTo("4.2") >= 0, "before Spark 4.2 there is no QUALIFY");
        Dataset<Row> predicted =
                LOCAL.sql(query.replace("$p(", "coded_predict($model, ").replace(")$", ").prediction"));
        List<String> expected = texts(LOCAL.sql(query.replace("$p(", "known(").replace(")$", ")")));
        assertThat(texts(predicted)).isEqualTo(expected);
        assertThat(predictions(predicted)).isNotEmpty();
    }
}
