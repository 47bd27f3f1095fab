/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.sql;

import static io.paritas.spark.ec.sql.LocalSession.literal;
import static io.paritas.spark.ec.sql.LocalSession.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.spark.ec.Logged;
import io.paritas.spark.job.QueryException;
import io.paritas.spark.plugin.UnknownSettings;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong calls are refused when the query is analysed; rows that cannot be computed fail, or are null. */
class RefusalsTest {
    private static final String WITHOUT =
            "SELECT id, %s FROM (SELECT id, data, transform(ec_encode(data, 'rs-4-2'), (u, i) -> %s) AS units FROM t)";

    @RegisterExtension
    static final LocalSession LOCAL = new LocalSession();

    @BeforeEach
    void rows() {
        LOCAL.rows(random(10, 1));
    }

    @Test
    void aNameThatIsNoSettingIsWarnedOf() {
        String name = "spark.paritas.ec.onEror";
        LOCAL.set(name, "null");
        try (Logged log = new Logged(UnknownSettings.class.getName())) {
            LOCAL.sql("SELECT ec_encode(data, 'rs-2-1') FROM t");
            assertThat(log.lines())
                    .containsExactly("WARN Paritas: there is no setting " + name
                            + ", and it has no effect: did you mean spark.paritas.ec.onError?");
        } finally {
            LOCAL.spark().conf().unset(name);
        }
    }

    private static void refused(String query, String message) {
        assertThatThrownBy(() -> LOCAL.sql(query))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContaining(message)
                .hasMessageNotContaining("INTERNAL_ERROR");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        ec_encode(data) | the call must be ec_encode(data, code), with 2 arguments, got 1
        ec_encode() | the call must be ec_encode(data, code), with 2 arguments, got 0
        ec_decode(array(data), 'rs-1-1') | the call must be ec_decode(units, code, length), with 3 arguments, got 2
        ec_verify(array(data), 'rs-1-1', 1) | the call must be ec_verify(units, code), with 2 arguments, got 3
        ec_stripe(data, 'rs-1-1') | the call must be ec_stripe(id, data, code), with 3 arguments, got 2
        ec_unstripe(data, 'rs-1-1') | the call must be ec_unstripe(stripe, rows, code), with 3 arguments, got 2
        ec_encode(data => data, code => 'rs-1-1') | ec_encode takes its arguments by their places, got one with the name data: leave out the name
        ec_encode(data, 'raid-6-3') | a code must be K-R, paritas-K-R, rs-K-R, isal-K-R, xor-K or lrc-K-R-L, with K data units, R parity units and L local ones, such as 6-3, rs-6-3, isal-4-2, xor-2 or lrc-12-2-2, got 'raid-6-3'
        ec_encode(data, 'rs-254-3') | got 'rs-254-3': a code over bytes needs k >= 1
        ec_encode(data, '') | got ''
        ec_stripe(id, data, 'raid-6-3') | got 'raid-6-3'
        ec_encode(data, concat('rs-', id)) | the code of ec_encode must be a constant text that names one, such as 'rs-6-3', got concat(
        ec_stripe(id, data, string(data)) | the code of ec_stripe must be a constant text that names one, such as 'rs-6-3', got CAST(
        ec_encode(data, NULL) | the code of ec_encode must be a constant text that names one, such as 'rs-6-3', got
        ec_encode(id, 'rs-6-3') | requires the "BINARY" type
        ec_encode(data, array('rs-6-3')) | requires the "STRING" type
        ec_decode(data, 'rs-6-3', 10) | requires the "ARRAY<BINARY>" type
        ec_decode(array(data), 'rs-6-3', array(10)) | requires the "BIGINT" type
        ec_verify(array(id), 'rs-6-3') | requires the "ARRAY<BINARY>" type
        ec_repair(map(id, data), 'rs-6-3') | requires the "ARRAY<BINARY>" type
        ec_stripe(id, id, 'rs-6-3') | requires the "BINARY" type
        ec_stripe(map(id, id), data, 'rs-6-3') | id must be of a type that can be compared, got MAP<BIGINT, BIGINT>
        ec_unstripe(data, array(), 'rs-6-3') | stripe must be an element of the array that ec_stripe returns, a STRUCT<ids: ARRAY<the type of the ids>, lengths: ARRAY<INT>, parity: ARRAY<BINARY>>, got BINARY
        ec_unstripe(struct(array(id), array(1), array(data)), array(data), 'rs-6-3') | rows must be an ARRAY<STRUCT<id: BIGINT, data: BINARY>>, with the type of the stripe's ids, got ARRAY<BINARY>
        ec_unstripe(struct(array(id), array(1), array(data)), array(struct(int(id), data)), 'rs-6-3') | rows must be an ARRAY<STRUCT<id: BIGINT, data: BINARY>>
        """)
    void refuses(String call, String message) {
        refused("SELECT " + call + " FROM t", message);
    }

    @Test
    void stripesOfAPivot() {
        refused(
                "SELECT * FROM (SELECT id % 2 AS part, id, data FROM t) PIVOT (ec_stripe(id, data, 'rs-2-1') FOR part IN (0, 1))",
                "; in PIVOT no argument is constant: use FILTER there");
    }

    @Test
    void theSettingIsChecked() {
        LOCAL.set("spark.paritas.ec.onError", "ignore");
        refused(
                "SELECT ec_encode(data, 'rs-6-3') FROM t",
                "spark.paritas.ec.onError must be one of fail, null, got 'ignore'");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        ec_decode(units, 'rs-4-2', 10) | IF(i IN (0, 2, 5), NULL, u) | ec_decode cannot compute a row: a (4,2) code reconstructs at most 2 missing units, 3 are missing: [0, 2, 5]
        ec_repair(units, 'rs-4-2') | IF(i < 6, NULL, u) | ec_repair cannot compute a row: a (4,2) code reconstructs at most 2 missing units, 6 are missing: [0, 1, 2, 3, 4, 5]
        ec_decode(units, 'rs-4-2', 10) | IF(i = 1, X'00', u) | ec_decode cannot compute a row: the units must be equally long, got 3 bytes for unit 0 and 1 for unit 1: make a damaged unit NULL
        ec_repair(units, 'rs-4-2') | IF(i = 5, X'00', u) | ec_repair cannot compute a row: the units must be equally long, got 3 bytes for unit 0 and 1 for unit 5: make a damaged unit NULL
        ec_decode(units, 'rs-4-2', 13) | u | ec_decode cannot compute a row: the length must be the one that was encoded, 9 to 12 bytes for 4 data units of 3 bytes, got 13
        ec_decode(units, 'rs-4-2', 8) | IF(i = 0, NULL, u) | the length must be the one that was encoded, 9 to 12 bytes for 4 data units of 3 bytes, got 8
        ec_decode(units, 'rs-4-2', -1) | u | 9 to 12 bytes for 4 data units of 3 bytes, got -1
        ec_decode(units, 'rs-6-3', 10) | u | ec_decode cannot compute a row: the units must be all 9 of rs-6-3, NULL where one is missing, got an array of 6
        ec_verify(units, 'rs-6-3') | u | ec_verify cannot compute a row: the units must be all 9 of rs-6-3, NULL where one is missing, got an array of 6
        ec_repair(array(), 'xor-2') | u | ec_repair cannot compute a row: the units must be all 3 of xor-2, NULL where one is missing, got an array of 0
        """)
    void rowsThatCannotBeComputed(String call, String unit, String message) {
        String query = WITHOUT.formatted(call, unit);
        assertThatThrownBy(() -> LOCAL.sql(query).collectAsList())
                .hasStackTraceContaining(message)
                .hasStackTraceContaining("; SET spark.paritas.ec.onError=null gives NULL for such rows");
        LOCAL.set("spark.paritas.ec.onError", "NULL");
        assertThat(LOCAL.sql(query).head().isNullAt(1)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        ec_decode(array(NULL, NULL, data), 'xor-2', 1) | ec_decode cannot compute a row: a (2,1) code reconstructs at most 1
        ec_stripe(1, data, 'xor-2') | the rows of a group must have different ids for ec_stripe, got 1 twice
        """)
    void scriptsHandleThem(String call, String message) {
        String query = "SELECT " + call + " FROM t CROSS JOIN range(2)";
        String script = "BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN SELECT 'handled'; END; " + query + "; END";
        assertThat(LOCAL.sql(script).collectAsList()).containsExactly(RowFactory.create("handled"));
        assertThatThrownBy(() -> LOCAL.sql(query).collectAsList())
                .isInstanceOf(QueryException.class)
                .hasMessageStartingWith(message);
    }

    /** Spark forgets settings that it does not know when it analyses a view. */
    @Test
    void theSettingHoldsInViews() {
        LOCAL.sql("CREATE OR REPLACE TEMP VIEW lost AS SELECT ec_decode(" + literal(null, null, null)
                + ", 'xor-2', id) AS data FROM t");
        assertThatThrownBy(() -> LOCAL.sql("SELECT data FROM lost").collectAsList())
                .hasStackTraceContaining("3 are missing");
        LOCAL.set("spark.paritas.ec.onError", "null");
        assertThat(LOCAL.sql("SELECT data FROM lost").head().isNullAt(0)).isTrue();
    }

    /** A query keeps the setting that it was made with. */
    @Test
    void theSettingIsFixedWhenAQueryIsAnalysed() {
        LOCAL.set("spark.paritas.ec.onError", "null");
        var query = LOCAL.sql("SELECT ec_decode(" + literal(null, null, null) + ", 'xor-2', id) AS data FROM t");
        LOCAL.set("spark.paritas.ec.onError", "fail");
        assertThat(query.head().isNullAt(0)).isTrue();
    }
}
