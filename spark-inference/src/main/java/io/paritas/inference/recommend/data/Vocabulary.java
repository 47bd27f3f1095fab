/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.data;

import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.broadcast;
import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.posexplode;
import static org.apache.spark.sql.functions.row_number;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.expressions.Window;
import org.apache.spark.sql.types.StructType;

/**
 * The frequent categories of each field, with rows of their own. A null counts as the empty string, which files of text do not tell
 * from it.
 *
 * @param rows the columns of {@link #SCHEMA}; a field's rows count from 1
 */
record Vocabulary(Dataset<Row> rows) {
    static final StructType SCHEMA =
            StructType.fromDDL("field INT NOT NULL, category STRING NOT NULL, row BIGINT NOT NULL");

    /** Counts the categories of a table now; of equally frequent ones, the first by name are kept. */
    static Vocabulary of(List<Column> categories, Dataset<?> table, int most, int atLeast) {
        Column[] words = categories.stream().map(Vocabulary::word).toArray(Column[]::new);
        Dataset<Row> counted = table.select(posexplode(array(words)).as(new String[] {"field", "category"}))
                .groupBy("field", "category")
                .agg(count(lit(1)).as("count"))
                .where(col("count").geq(atLeast));
        Column rank = row_number()
                .over(Window.partitionBy("field").orderBy(col("count").desc(), col("category")));
        List<Row> kept = counted.withColumn("row", rank)
                .where(col("row").leq(most))
                .select(col("field"), col("category"), col("row").cast("bigint"))
                .orderBy("field", "row")
                .collectAsList();
        return new Vocabulary(table.sparkSession().createDataFrame(kept, SCHEMA));
    }

    private static Column word(Column category) {
        return coalesce(category, lit(""));
    }

    /** Tables with a row for each category and one, the first, for all others. */
    Tables tables(int fields) {
        long[] sizes = new long[fields];
        Arrays.fill(sizes, 1);
        for (Row row : rows.groupBy("field").agg(max("row")).collectAsList()) {
            sizes[row.getInt(0)] += row.getLong(1);
        }
        return Tables.of(sizes);
    }

    /** Returns these columns of a table and {@code categorical}, by a join for each field, none of which moves the table's rows. */
    Dataset<Row> encode(Dataset<?> table, List<Column> kept, List<Column> categories, Tables tables) {
        List<Column> columns = new ArrayList<>(kept);
        List<Column> ids = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int field = 0; field < categories.size(); field++) {
            names.add("paritas_category_" + field);
            columns.add(word(categories.get(field)).as(names.get(field)));
        }
        Dataset<Row> joined = table.select(columns.toArray(Column[]::new));
        List<Column> own = Arrays.stream(joined.columns())
                .filter(name -> !names.contains(name))
                .map(name -> col("`" + name.replace("`", "``") + "`"))
                .toList();
        for (int field = 0; field < names.size(); field++) {
            String row = "paritas_row_" + field;
            String word = "paritas_word_" + field;
            Dataset<Row> words = rows.where(col("field").equalTo(field))
                    .select(col("category").as(word), col("row").as(row));
            joined = joined.join(broadcast(words), col(names.get(field)).equalTo(col(word)), "left_outer");
            ids.add(coalesce(col(row), lit(0)).plus(lit(tables.first(field))));
        }
        List<Column> result = new ArrayList<>(own);
        result.add(array(ids.toArray(Column[]::new)).cast("array<bigint>").as("categorical"));
        return joined.select(result.toArray(Column[]::new));
    }
}
