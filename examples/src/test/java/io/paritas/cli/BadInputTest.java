/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every command with what it cannot use: one sentence, status 1 (2 for wrong usage), and nothing is written. What takes another user, a
 * full disk or signals is in {@code it/release.sh}.
 */
class BadInputTest {
    @TempDir
    private Path home;

    @BeforeEach
    void fill() throws Exception {
        Files.createFile(home.resolve("empty"));
        Files.writeString(home.resolve("text"), "No model, no image, no unit.\n".repeat(10));
        Files.createDirectories(home.resolve("folder/class"));
        Files.createDirectory(home.resolve("void"));
        Files.writeString(home.resolve("void.onnx"), "");
        Files.createFile(Files.createDirectory(home.resolve("trained")).resolve("base.onnx"));
        Files.writeString(home.resolve("folder/unit-000.paritas"), "no unit");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            encode @missing --out @new                             | 2 | FILE must be an existing file, got @missing
            encode @folder --out @new                              | 2 | FILE must be an existing file, got @folder
            encode @text --kernel nokern --out @new                | 2 | --kernel must be one of auto, plain, vector, machine, cuda, got nokern
            encode @text --out @empty                              | 2 | DIR must be a directory or not exist, got @empty
            encode @text --out @folder                             | 2 | DIR must not have units, unless --force replaces them
            encode @text --out @missing/new                        | 1 | no such file or directory: @missing/new
            decode @missing --out @new                             | 2 | DIR must be the directory of the units, got @missing
            decode @empty --out @new                               | 2 | DIR must be the directory of the units, got @empty
            decode @folder --out /                                 | 2 | FILE must be in an existing directory, got /
            decode @void --out @new                                | 1 | no usable unit file (*.paritas) is in @void
            decode @folder --out @new                              | 1 | no usable unit file (*.paritas) is in @folder
            verify @empty                                          | 2 | DIR must be the directory of the units, got @empty
            verify @void                                           | 3 | no usable unit file (*.paritas) is in @void
            verify @folder                                         | 3 | no usable unit file (*.paritas) is in @folder
            screen report @missing                                 | 3 | no such file or directory: @missing
            screen report @text                                    | 3 | every line must be a finding of screening, line 1 of @text
            tune --budget 0                                        | 2 | a budget must be 1 to 999999 seconds, such as 60s, got '0'
            repair @missing                                        | 2 | DIR must be the directory of the units, got @missing
            repair @folder                                         | 1 | no usable unit file (*.paritas) is in @folder
            inspect @missing                                       | 1 | no such file or directory: @missing
            inspect @empty                                         | 1 | a model must have bytes, @empty is empty
            inspect @folder                                        | 1 | a folder must have one of [parity.json, learned.json, folded.json, cascade.json], @folder has none
            inspect @text                                          | 1 | a model must be ONNX (protobuf) or TorchScript (zip), @text is neither
            inspect nonsense                                       | 1 | nonsense
            export @missing --out @new.pt                             | 1 | no such file or directory: @missing
            export @empty --out @new.pt                               | 1 | a model must have bytes, @empty is empty
            export @text --out @empty                              | 2 | --out must be a new file, @empty exists: name another one, or replace it with --force
            export @void.onnx --out @x.txt                         | 2 | --out must be a .pt file, got @x.txt
            export @void.onnx --out @missing/y/x.pt                | 2 | '--out': it must be a file in an existing folder, got @missing/y/x.pt
            export @void.onnx --out @void --force                  | 2 | '--out': it must be a file in an existing folder, got @void
            train base --data images:@void --out @trained          | 2 | base.onnx exists in @trained: name another folder, or replace it with --force
            eval --model @text --data glyphs:count=40              | 1 | a model must be ONNX
            eval --model @text --json @missing/new                 | 2 | must be a file in an existing folder, got @missing/new
            eval --model @text --csv @folder                       | 2 | must be a file in an existing folder, got @folder
            eval --model @text --data mnist:@missing               | 1 | @missing
            train base --data images:@void --out @new              | 1 | a tree of images must have a folder for each class, @void has no folder
            train base --data images:@folder --out @new            | 1 | every class must have images
            train base --data nonsense --out @new                  | 2 | --data: cannot load 'nonsense': no source has this name; known are glyphs,
            train base --data glyphs:count=4 --out @new            | 1 | --data must have images for the test, glyphs:count=4 has none
            train parity --model @missing --data nonsense --out @new | 2 | --model must be a file, there is none at @missing: name another one
            train code --model @missing --data nonsense --out @new | 2 | --model must be a file, there is none at @missing: name another one
            train folded --model @missing --data nonsense --out @new | 2 | --model must be a file, there is none at @missing: name another one
            train calibrate --model @missing --parity @folder      | 2 | --model must be a file, there is none at @missing: name another one
            train calibrate --model @text --parity @folder         | 2 | --parity must have parity models, there is no @folder/parity.json: name another folder
            train parity --model @text --queries @missing --predictions @text --out @new | 2 | --queries must be a file, there is none at @missing: name another one
            train parity --model @text --queries @text --predictions @missing --out @new | 2 | --predictions must be a file, there is none at @missing: name another one
            train base --network @missing.onnx --data nonsense --out @new | 2 | --network must be a file, there is none at @missing.onnx: name another one
            train base --epochs 0 --out @new                       | 2 | --epochs must be at least 1, got 0
            train base --batch 0 --out @new                        | 2 | --batch must be at least 1, got 0
            train base --threads 0 --out @new                      | 2 | --threads must be at least 1, got 0
            train base --learning-rate -1 --out @new               | 2 | --learning-rate must be above 0 and below 10, got -1.0
            train base --learning-rate NaN --out @new              | 2 | --learning-rate must be above 0 and below 10, got NaN
            train base --weight-decay 1 --out @new                 | 2 | --weight-decay must be at least 0 and below 1, got 1.0
            train base --decay-every -1 --out @new                 | 2 | --decay-every must be at least 0, got -1
            train base --patience -1 --out @new                    | 2 | --patience must be at least 0, got -1
            train base --dropout 1 --network noscope-n1 --out @new | 2 | --dropout must be above 0 and below 1, got 1.0
            train base --dropout 0.25 --network mlp --out @new     | 2 | --dropout is of the noscope networks, got --network mlp: leave it out
            train base --dropout 0.25 --network @void.onnx --out @new | 2 | --dropout is of the noscope networks, got --network @void.onnx: leave it out
            train base --network nope --out @new                   | 2 | --network: no network is named 'nope'; there are mlp,
            train base --data glyphs:count=40 --validation -1 --out @new | 2 | --validation must be at least 0, got -1
            train base --data glyphs:count=40 --validation 90 --out @new | 2 | --validation: validation and test images are taken from the 32
            train parity --model @text --k 1 --out @new            | 2 | --k and --r: a coding group must have 2 to 16 queries, got k = 1: with one query a parity model is a replica
            train parity --model @text --target DISTRIBUTION --out @new | 2 | --encoder and --target: the target DISTRIBUTION needs the encoding CONCATENATION
            train parity --model @text --encoder CONCATENATION --k 5 --out @new | 2 | --encoder and --target: concatenation is for groups of 2 to 4 images, got k = 5: use addition
            train code --model @text --k 2 --r 3 --out @new        | 2 | --k and --r: a coding group needs 1 to k = 2 parity queries, got r = 3
            train folded --model @text --epochs 0 --out @new       | 2 | --epochs must be at least 1, got 0
            train folded --model @text --fold 0 --out @new         | 2 | --fold and --multiplier: a fold must be at least 1, got 0
            train folded --model @text --multiplier -1 --out @new  | 2 | --fold and --multiplier: the multiplier of channels must be above 0, got -1.0
            train folded --model @text --curriculum 0 --out @new   | 2 | --curriculum must be at least 1, got 0
            eval --model @text --data nonsense                     | 2 | --data: cannot load 'nonsense': no source
            train                                                  | 2 | say what to train
            protect plan @missing --out @new                       | 1 | no such file or directory: @missing
            protect plan @empty --out @new                         | 1 | a model must have bytes, @empty is empty
            protect plan @text --batch 0                           | 2 | --batch must be at least 1, got 0
            protect plan @text --seconds 0                         | 2 | --seconds must be a number above 0, at most 3600, got 0.0
            protect plan @text --seconds NaN                       | 2 | --seconds must be a number above 0, at most 3600, got NaN
            protect plan @text --out @missing/new                  | 2 | must be a file in an existing folder, got @missing/new
            inject --model @missing --data glyphs:count=40 --out @new | 1 | no such file or directory: @missing
            inject --model @text --out @new                        | 1 | a model must be ONNX
            serve @missing                                         | 1 | MODEL must be a file or a folder, there is none at @missing
            serve @folder --policy none                            | 1 | the folder of a model must have one of [base.onnx, model.onnx, base.pt, model.pt], @folder
            serve @empty --policy none                             | 1 | a model must have bytes, @empty is empty
            serve @text --policy none                              | 1 | a model must be ONNX
            serve @text                                            | 1 | a model must be ONNX
            load http://127.0.0.1:9/v2/models/x --queries 1        | 1 | 127.0.0.1:9
            load nonsense                                          | 2 | URL must be that of a server, such as http://127.0.0.1:8000, or of a model,
            load http://127.0.0.1:9/v2/models/x --csv @folder      | 2 | must be a file in an existing folder, got @folder
            load http://127.0.0.1:9/v2/models/x --token-file @missing | 1 | no such file or directory: @missing
            recommend --out @new --servers 1000                    | 2 | --servers and --workers must together be at most 249, with a spare one beside them, got 1000 and 1
            quickstart --policy foo                                | 2 | --policy must be one of RS-3-2-1024k, RS-6-3-1024k, RS-10-4-1024k, got foo
            quickstart @missing                                    | 2 | FILE must be a readable file, got @missing: name another one
            quickstart @empty                                      | 2 | FILE must have at least one byte, @empty is empty: name another one
            quickstart --spark --straggler -1                      | 2 | --straggler must be at least 0, got -1.0
            quickstart --spark --seed 1                            | 2 | FILE, --policy and --seed are for HDFS; leave them out with --spark
            recommend --out @folder                                | 2 | --out must be new or empty, @folder has files
            recommend --out @empty                                 | 1 | another file is in the place of @empty
            tune --code nonsense                                   | 2 | got 'nonsense'
            inspect lenet --measure -1                             | 2 | --measure must be 1 to 86400, got -1
            inspect lenet --batch 0                                | 2 | --batch must be 1 to 1000000, got 0
            inspect lenet --batch 1000001                          | 2 | --batch must be 1 to 1000000, got 1000001
            inspect lenet --batch 700000 --measure 1               | 2 | --batch, for --measure and rows of 784 values, must be 1 to 684784, got 700000
            inspect lenet --bytes 0                                | 2 | --bytes must be 1 to 8, got 0
            inspect lenet --plan k80                               | 2 | --plan: no device is named 'k80'; there are
            inject --data glyphs --out @new                        | 2 | --data is for a network of yours, got --data glyphs without --model: name the --model
            bench --code 0-1                                       | 2 | 0
            bench --isal @missing                                  | 2 | --isal must name a folder with include/isa-l.h in it, got @missing
            bench --report @empty                                  | 2 | DIR must be a directory or not exist, got @empty
            spark-jars more                                        | 2 | more
            nonsense                                               | 2 | nonsense
            trian                                                  | 2 | Did you mean: paritas train or
            train base --ephocs 3 --out @new                       | 2 | Possible solutions: --epochs
            train base --data glyphs:count=40 --limit -1 --out @new | 2 | --limit must be at least 1, got -1
            eval --model @text --limit 5                           | 2 | Unknown options: '--limit', '5'
            train calibrate --model @text --parity @new --augment  | 2 | Unknown option: '--augment'
            eval --model @text --small @text --accuracy 97         | 2 | --accuracy must be 0 to 1, got 97.0
            eval --model @missing --data nonsense                  | 2 | --model must be a file, there is none at @missing: name another one
            eval --model @text --small @missing --data nonsense    | 2 | --small must be a file, there is none at @missing: name another one
            eval --model @text --small @text --small-folded @missing --data nonsense | 2 | --small-folded must be a folded network, there is none at @missing: name another one
            eval --model @text --parity @missing --data nonsense   | 1 | no such file or directory: @missing
            eval --model @text --code @missing --data nonsense     | 1 | no such file or directory: @missing
            eval --model @text --folded @missing --data nonsense   | 1 | no such file or directory: @missing
            eval --model @text --small @text --accuracy NaN        | 2 | --accuracy must be 0 to 1, got NaN
            eval --model @text --cascade @new                      | 2 | --small-folded, --accuracy and --cascade are of a cascade: name its --small.
            """)
    void isRefusedInOneSentence(String line, int status, String sentence) throws Exception {
        List<Path> before = files();

        Run run = Run.paritas(Stream.of(line.split(" +", -1)).map(this::named).toArray());

        assertThat(run.err()).contains(named(sentence)).startsWith("paritas: ").doesNotContain("\tat ");
        assertThat(run.status()).as(run.err()).isEqualTo(status);
        assertThat(files()).isEqualTo(before);
    }

    /** {@code @name} is a path in the home. */
    private String named(String text) {
        return text.replace("@", home + "/");
    }

    private List<Path> files() throws Exception {
        try (Stream<Path> all = Files.walk(home)) {
            return all.sorted().toList();
        }
    }
}
