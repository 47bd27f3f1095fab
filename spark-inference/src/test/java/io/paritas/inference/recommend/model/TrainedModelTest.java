/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.recommend.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paritas.inference.Logged;
import io.paritas.inference.recommend.LocalSpark;
import io.paritas.inference.recommend.data.FeatureColumns;
import io.paritas.inference.recommend.data.FeatureColumns.Scale;
import io.paritas.inference.recommend.data.FeatureEncoding;
import io.paritas.inference.recommend.data.Tables;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FilterFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrainedModelTest {
    private static final DlrmShape SHAPE =
            new DlrmShape(2, List.of(3, 2), Tables.of(5, 6), 2, Interaction.DOT, List.of(4));

    @TempDir
    private static Path home;

    @BeforeAll
    static void write() throws IOException {
        model().write(folder("model"));
    }

    private static TrainedModel model() {
        InitialRows initial = InitialRows.of(SHAPE, 1);
        List<Row> rows = LongStream.range(0, 11)
                .mapToObj(id -> {
                    float[] row = new float[2];
                    initial.fill(id, row, 0);
                    return RowFactory.create(id, row);
                })
                .toList();
        Dataset<Row> dataset = LocalSpark.session().createDataset(rows, Encoders.row(TrainedModel.ROWS));
        return new TrainedModel(SHAPE, InitialNetwork.of(SHAPE, 1), dataset);
    }

    private static String folder(String name) {
        return home.resolve(name).toUri().toString();
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        TrainedModel model = model();
        TrainedModel read = TrainedModel.read(LocalSpark.session(), folder("model"));
        assertThat(read.shape()).isEqualTo(SHAPE);
        assertThat(read.network()).isEqualTo(model.network());
        assertThat(read.rows().orderBy("id").collectAsList())
                .hasToString(model.rows().collectAsList().toString());
        assertThat(Files.readAllBytes(home.resolve("model/network.onnx")))
                .isEqualTo(OnnxNetwork.of(SHAPE, model.network()).toModelFile().bytes());
    }

    @Test
    void aFolderThatCanBeWrittenIsLeftAsItWas() throws IOException {
        try (Logged log = new Logged("org.apache.spark.sql.execution.datasources.DataSource")) {
            TrainedModel.requireWritable(LocalSpark.session(), folder("new/folder"));
            assertThat(log.lines()).noneMatch(line -> line.startsWith("WARN"));
        }
        assertThat(home.resolve("new/folder")).doesNotExist();

        Path empty = Files.createDirectory(home.resolve("empty"));
        TrainedModel.requireWritable(LocalSpark.session(), folder("empty"));
        assertThat(empty).isEmptyDirectory();

        Files.createFile(Files.createDirectory(empty.resolve("paritas-probe")).resolve("left by a driver that died"));
        TrainedModel.requireWritable(LocalSpark.session(), folder("empty"));
        assertThat(empty).isEmptyDirectory();
    }

    @Test
    void aFolderThatCannotBeWrittenIsRefusedBeforeATraining() throws IOException {
        Files.createFile(home.resolve("file"));

        assertThatThrownBy(() -> TrainedModel.requireWritable(LocalSpark.session(), folder("file/below")))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("a model must be written into " + folder("file/below") + ", that fails: ")
                .hasMessageEndingWith(": name a folder that the driver and the executors may write");
        assertThatThrownBy(() -> TrainedModel.requireWritable(LocalSpark.session(), folder("model")))
                .isInstanceOf(FileAlreadyExistsException.class)
                .hasMessageStartingWith("the folder of a model must be new or empty, got ");
    }

    @Test
    void theFilesAreThoseOfTheDocumentation() throws IOException {
        assertThat(home.resolve("model/model.json"))
                .hasContent("{\"format\":1,\"denseFeatures\":2,\"bottom\":[3,2],\"tables\":[5,6],\"dimension\":2,"
                        + "\"interaction\":\"dot\",\"top\":[4]}");
        assertThat(LocalSpark.session()
                        .read()
                        .parquet(folder("model") + "network")
                        .collectAsList())
                .extracting(row -> row.getString(0) + " at " + row.getInt(1) + ": "
                        + row.getList(2).size())
                .containsExactly(
                        "bottom.0.weight at 0: 6",
                        "bottom.0.bias at 6: 3",
                        "bottom.1.weight at 9: 6",
                        "bottom.1.bias at 15: 2",
                        "top.0.weight at 17: 20",
                        "top.0.bias at 37: 4",
                        "top.1.weight at 41: 4",
                        "top.1.bias at 45: 1");
        assertThat(LocalSpark.session()
                        .read()
                        .parquet(folder("model") + "rows")
                        .schema()
                        .simpleString())
                .isEqualTo("struct<id:bigint,row:array<float>>");
    }

    /** The numbers of a table's rows begin at 0. */
    @Test
    void theModelAsOneFilePredictsTheSameInSql() throws IOException {
        Dataset<Row> visits = LocalSpark.session()
                .sql("SELECT * FROM VALUES (0.5, 30, 'A', 7), (2.0, -1, NULL, 8), (0, 0, 'B', NULL)"
                        + " AS visits(price, age, shop, city)");
        visits.createOrReplaceTempView("visits");
        FeatureColumns columns =
                new FeatureColumns("clicked", List.of("price", "age"), List.of("shop", "city"), Scale.NONE);
        List<Float> joined = TrainedModel.read(LocalSpark.session(), folder("model"))
                .predict(FeatureEncoding.hashed(columns, Tables.of(5, 6)).features(visits))
                .orderBy("age")
                .map((MapFunction<Row, Float>) row -> row.getAs("probability"), Encoders.FLOAT())
                .collectAsList();
        List<Float> scored = LocalSpark.session()
                .sql("SELECT predict('" + folder("model") + "scoring.onnx', array(float(price), float(age),"
                        + " float(pmod(xxhash64(0, string(shop)), 5)), float(pmod(xxhash64(1, string(city)), 6))"
                        + ")).prediction[0] FROM visits ORDER BY age")
                .as(Encoders.FLOAT())
                .collectAsList();
        assertThat(scored)
                .usingElementComparator((one, other) -> Math.abs(one - other) < 1e-6 ? 0 : 1)
                .containsExactlyElementsOf(joined);
        assertThat(joined.get(0)).isNotEqualTo(joined.get(1));
    }

    @Test
    void aModelWithoutAllRowsIsNotOneFile() {
        TrainedModel model = model();
        assertThatThrownBy(() ->
                        new TrainedModel(SHAPE, model.network(), model.rows().where("id <> 7")).scoring())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("each of 11 ids must have an embedding row, id 7 has none");
        DlrmShape large = new DlrmShape(2, List.of(3, 2), Tables.of(5, (1 << 24) + 1), 2, Interaction.DOT, List.of(4));
        assertThatThrownBy(() -> new TrainedModel(large, model.network(), model.rows()).scoring())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "an ONNX file has at most 2000000000 bytes of tables, and 16777216 rows of each, got 134217776 bytes"
                                + " of the tables [5, 16777217]: use the model itself, whose rows are joined");
    }

    @Test
    void filesAreNotOverwritten() throws IOException {
        assertThatExceptionOfType(FileAlreadyExistsException.class)
                .isThrownBy(() -> model().write(folder("model")))
                .withMessage("the folder of a model must be new or empty, got " + folder("model")
                        + ": delete its files, or name another");
    }

    /** Of two trainings into one folder, one fails. */
    @Test
    void aModelThatIsWrittenMeanwhileIsNotReplaced() throws IOException {
        String folder = folder("both");
        Path other = home.resolve("both/model.json");
        String file = other.toString();
        TrainedModel model = model();
        Dataset<Row> rows = model.rows().filter((FilterFunction<Row>) row -> {
            Files.writeString(Path.of(file), "other");
            return true;
        });
        TrainedModel slow = new TrainedModel(model.shape(), model.network(), rows);
        assertThatExceptionOfType(FileAlreadyExistsException.class)
                .isThrownBy(() -> slow.write(folder))
                .withMessage("a folder must take one model, " + folder
                        + " got another one meanwhile: write each into a folder of its own");
        assertThat(other).hasContent("other");
    }

    /** Parameters that are not found would be 0, and predictions wrong. */
    @Test
    void networksWithoutTheirFileAreNotRead() throws IOException {
        model().write(folder("copied"));
        try (var files = Files.newDirectoryStream(home.resolve("copied/network"), "*part-*")) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> TrainedModel.read(LocalSpark.session(), folder("copied")))
                .withMessage("the networks must have 46 parameters, "
                        + folder("copied").replace("///", "/") + "network has 0: copy the whole folder of the model");
    }

    /** Which Spark takes as a pattern, unless it is told otherwise. */
    @ParameterizedTest
    @ValueSource(strings = {"m[1]", "m{1,2}", "m*", "m 1", "m%41"})
    void aFolderMayHaveAnyName(String name) throws IOException {
        Path folder = home.resolve("names").resolve(name);
        TrainedModel.requireWritable(LocalSpark.session(), folder.toString());
        FeatureColumns columns =
                new FeatureColumns("clicked", List.of("price", "age"), List.of("shop", "city"), Scale.NONE);
        Dataset<Row> visits =
                LocalSpark.session().sql("SELECT * FROM VALUES (0.5, 30, 'A', 7) AS visits(price, age, shop, city)");
        model().write(folder.toString(), Optional.of(FeatureEncoding.vocabulary(columns, visits, 1, 1)));
        TrainedModel read = TrainedModel.read(LocalSpark.session(), folder.toString());
        assertThat(read.network()).isEqualTo(model().network());
        assertThat(read.rows().count()).isEqualTo(11);
        assertThat(TrainedModel.encoding(LocalSpark.session(), folder.toString()))
                .isPresent();
    }

    @Test
    void aModelWithoutOneOfItsFoldersIsNotRead() throws IOException {
        for (String part : List.of("rows", "network")) {
            Path folder = home.resolve("without-" + part);
            model().write(folder.toString());
            Files.move(folder.resolve(part), folder.resolve("moved"));
            assertThatExceptionOfType(FileNotFoundException.class)
                    .isThrownBy(() -> TrainedModel.read(LocalSpark.session(), folder.toString()))
                    .withMessage("there must be a folder " + folder.resolve(part) + " of Parquet: copy all files");
        }
    }

    @Test
    void aDamagedFileIsNotRead() throws IOException {
        Path folder = home.resolve("damaged");
        model().write(folder.toString());
        try (var files = Files.newDirectoryStream(folder.resolve("network"), "part-*")) {
            for (Path file : files) {
                Files.write(file, new byte[100]);
            }
        }
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> TrainedModel.read(LocalSpark.session(), folder.toString()))
                .withMessageStartingWith("cannot read " + folder.resolve("network") + ": ");
    }

    /** The second one would not fit into memory. */
    @ParameterizedTest
    @CsvSource({"1, 25", "70000000, 490000018"})
    void theNetworksOfAnotherModelAreNotRead(int neurons, int parameters) throws IOException {
        Path folder = home.resolve("other-" + neurons);
        model().write(folder.toString());
        Path json = folder.resolve("model.json");
        Files.delete(folder.resolve(".model.json.crc"));
        Files.writeString(json, Files.readString(json).replace("\"top\":[4]", "\"top\":[" + neurons + "]"));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> TrainedModel.read(LocalSpark.session(), folder.toString()))
                .withMessage("the networks must have " + parameters + " parameters, " + folder.resolve("network")
                        + " has 46: copy the whole folder of the model");
    }

    @Test
    void rowsThatAreWrittenElsewhereAreMissed() {
        LocalSpark.session()
                .sparkContext()
                .hadoopConfiguration()
                .setClass("fs.apart.impl", DisksApart.class, FileSystem.class);
        String folder = "apart:" + home.resolve("driver");
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> model().write(folder))
                .withMessage("a model must have 11 rows, " + folder
                        + "/rows has 0: name a folder that the driver shares with the"
                        + " executors, which write the rows");
        assertThat(home.resolve("driver/model.json")).doesNotExist();
    }

    /** The disks of a driver and of an executor on another machine: tasks have a folder of their own. */
    static final class DisksApart extends RawLocalFileSystem {
        @Override
        public URI getUri() {
            return URI.create("apart:///");
        }

        @Override
        public String getScheme() {
            return "apart";
        }

        @Override
        public File pathToFile(org.apache.hadoop.fs.Path path) {
            String file = path.toUri().getPath();
            return new File(TaskContext.get() == null ? file : file.replace("/driver", "/executor"));
        }
    }

    /** As where the driver has not the memory for it: it is one file more, and the training took hours. */
    @Test
    void aModelIsCompleteWithoutTheFileForScoring() throws IOException {
        LocalSpark.session()
                .sparkContext()
                .hadoopConfiguration()
                .setClass("fs.small.impl", SmallMemory.class, FileSystem.class);
        FeatureColumns columns =
                new FeatureColumns("clicked", List.of("price", "age"), List.of("shop", "city"), Scale.NONE);
        String folder = "small:" + home.resolve("small");
        model().write(folder, Optional.of(FeatureEncoding.hashed(columns, Tables.of(5, 6))));
        assertThat(home.resolve("small/scoring.onnx")).doesNotExist();
        assertThat(TrainedModel.read(LocalSpark.session(), folder).network()).isEqualTo(model().network());
        assertThat(TrainedModel.encoding(LocalSpark.session(), folder)).isPresent();
    }

    /** The memory ends when a file for scoring is being written. */
    static final class SmallMemory extends RawLocalFileSystem {
        @Override
        public URI getUri() {
            return URI.create("small:///");
        }

        @Override
        public String getScheme() {
            return "small";
        }

        @Override
        public FSDataOutputStream create(
                org.apache.hadoop.fs.Path file,
                boolean overwrite,
                int buffer,
                short replication,
                long block,
                Progressable progress)
                throws IOException {
            FSDataOutputStream stream = super.create(file, overwrite, buffer, replication, block, progress);
            if (file.getName().equals("scoring.onnx")) {
                stream.close();
                throw new OutOfMemoryError("Java heap space");
            }
            return stream;
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aModelIsCompleteThoughTheDiskIsFullForTheFileForScoring() throws IOException {
        String folder = onAFullDisk("scoring.onnx");
        model().write(folder);
        assertThat(TrainedModel.read(LocalSpark.session(), folder).network()).isEqualTo(model().network());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aModelThatIsNotWrittenToItsEndIsNotThere() {
        String folder = onAFullDisk("_model.json");
        assertThatIOException().isThrownBy(() -> model().write(folder)).withMessage("No space left on device");
        assertThatExceptionOfType(FileNotFoundException.class)
                .isThrownBy(() -> TrainedModel.read(LocalSpark.session(), folder));
    }

    private static String onAFullDisk(String file) {
        FullDisk.file = file;
        LocalSpark.session()
                .sparkContext()
                .hadoopConfiguration()
                .setClass("fs.fulldisk.impl", FullDisk.class, FileSystem.class);
        return "fulldisk:" + home.resolve("without " + file);
    }

    /** The disk has room for all files but one. Linux has a file whose disk is always full. */
    static final class FullDisk extends RawLocalFileSystem {
        private static volatile String file;

        @Override
        public URI getUri() {
            return URI.create("fulldisk:///");
        }

        @Override
        public String getScheme() {
            return "fulldisk";
        }

        /** Appends: a file that is created gets the rights of a new one. */
        @Override
        protected OutputStream createOutputStreamWithMode(
                org.apache.hadoop.fs.Path path, boolean append, FsPermission permission) throws IOException {
            return path.getName().equals(file)
                    ? super.createOutputStreamWithMode(new org.apache.hadoop.fs.Path("/dev/full"), true, null)
                    : super.createOutputStreamWithMode(path, append, permission);
        }
    }

    @Test
    void whatIsIncompleteOrNewerIsNotRead() throws IOException {
        String text = Files.readString(home.resolve("model/model.json"));
        refuses(text.replace("\"format\":1", "\"format\":2"), "format must be 1, got 2: use a newer Paritas");
        refuses(text.replace("\"top\"", "\"bottom2\""), "No value for property 'top' of `ObjectNode`");
        refuses(
                text.replaceFirst("\"top\":\\[.*?]", "\"top\":\"-1\""),
                "top must be a list of whole numbers, got \"-1\"");
        String whole = " must have whole numbers from 1 to ";
        refuses(text.replace("[5,6]", "[5,\"6\"]"), "tables" + whole + "9223372036854775807, got \"6\"");
        refuses(text.replace("[3,2]", "[3,4294967298]"), "bottom" + whole + "2147483647, got 4294967298");
        refuses(text.replace("\"dimension\":2", "\"dimension\":2.5"), "dimension" + whole + "2147483647, got 2.5");
        refuses(
                text.replace("\"dimension\":2", "\"dimension\":3"),
                "for inner products, the bottom network must have as many outputs as a row has numbers, got [3, 2] and rows of 3");
        assertThatExceptionOfType(FileNotFoundException.class)
                .isThrownBy(() -> TrainedModel.read(LocalSpark.session(), folder("nothing")));
    }

    private static void refuses(String json, String reason) throws IOException {
        Files.createDirectories(home.resolve("other"));
        Files.writeString(home.resolve("other/model.json"), json);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> TrainedModel.read(LocalSpark.session(), folder("other")))
                .withMessage("cannot read " + folder("other").replace("///", "/") + "model.json: " + reason);
    }

    @Test
    void whatIsNoModelIsRefused() {
        Dataset<Row> rows = model().rows();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TrainedModel(SHAPE, new float[3], rows))
                .withMessage("the networks must have 46 parameters, got 3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TrainedModel(SHAPE, new float[46], rows.withColumnRenamed("row", "values")))
                .withMessage("embedding rows must be struct<id:bigint,row:array<float>>, got"
                        + " struct<id:bigint,values:array<float>>");
    }
}
