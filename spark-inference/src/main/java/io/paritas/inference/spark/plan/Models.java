/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.spark.plan;

import io.paritas.inference.BundleKind;
import io.paritas.inference.DeployedModel;
import io.paritas.inference.Model;
import io.paritas.inference.ModelEngines;
import io.paritas.inference.ModelException;
import io.paritas.inference.ModelFile;
import io.paritas.inference.ModelOptions;
import io.paritas.inference.Protection;
import io.paritas.inference.Protection.Mode;
import io.paritas.inference.TensorSpec;
import io.paritas.inference.code.Codes;
import io.paritas.inference.folded.Cascade;
import io.paritas.inference.folded.FoldedNetwork;
import io.paritas.inference.parity.PredictionCode;
import io.paritas.inference.protect.ProtectionPlan;
import io.paritas.inference.spark.settings.EngineSettings;
import io.paritas.inference.spark.settings.InputSettings;
import io.paritas.inference.spark.settings.SentModel;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.SparkContext;
import org.apache.spark.util.DependencyUtils$;
import org.apache.spark.util.ShutdownHookManager;

/**
 * Reads the models that queries name, on the driver. Spark checks a query many times, so what was read is kept until
 * the file changes. A path without a scheme is a file of the driver; others are fetched through Spark, for example from
 * HDFS. Thread-safe.
 */
public final class Models {
    /** The models in files of the driver: whole files, as those of READ are, so they are kept only while there is room. */
    private static final Kept MODELS = Kept.last(64);

    /** What models have told that were loaded. It is small, but for a plan of protection among the options. */
    private static final Kept FACTS = Kept.last(1_024);

    /** What else files of the driver have: codes, folded networks, cascades and plans of protection. */
    private static final Kept READ = Kept.last(64);

    /** What executors have got, by its file: Spark frees the blocks of a broadcast once nobody has it here. */
    private static final Kept SENT = Kept.whileKeysAreThere();

    /** Files of applications, which stay on the disk until the JVM ends: fetched again, they would be there twice. */
    private static final Kept FETCHED = Kept.last(Integer.MAX_VALUE);

    /** Schemes of URLs: Hadoop has the files of all others. */
    private static final Set<String> OF_URLS = Set.of("spark", "http", "https", "ftp");

    private Models() {}

    private record Key(String what, Path file, Object options) {}

    /** What a query must know of a model. */
    private record Facts(TensorSpec input, TensorSpec output) {}

    private record Fetched(String path, String application) {}

    /** Loads a model once, on the CPU, to learn its input and output and whether the CPU, if it is to, can protect it as asked. */
    static DeployedModel deployed(String path, Options options, Protection protection) {
        Path file = requireFile(local(path), path);
        /* Measurements on this machine say nothing about the executors. */
        boolean measured = protection.mode() == Mode.GUIDED && protection.plan().isEmpty();
        ModelOptions here = ModelEngines.onCpu(
                new ModelOptions(options.get(EngineSettings.NAME), options.get(EngineSettings.DEVICE), 1)
                        .withInputShape(options.get(InputSettings.SHAPE))
                        .withProtection(measured ? Protection.of(Mode.GLOBAL) : protection));
        Version version = version(file);
        ModelFile model = MODELS.getWhileThereIsRoom(new Key("model", file, ""), version, key -> ModelFile.read(file));
        Facts facts = FACTS.get(new Key("facts", file, here), version, key -> {
            try (Model loaded = ModelEngines.load(model, here)) {
                return new Facts(loaded.input(), loaded.output());
            }
        });
        ProtectionPlan.check(model, protection);
        return new DeployedModel(model, facts.input(), facts.output());
    }

    /** Reads a protection plan. */
    static String protectionPlan(String path) {
        Path file = local(path);
        if (!Files.isRegularFile(file)) {
            throw new ModelException("there must be a plan of protection at '" + path
                    + "', no such file is there: make it with bin/paritas protect plan");
        }
        return READ.getWhileThereIsRoom(new Key("protection", file, ""), version(file), key -> ProtectionPlan.read(file)
                .json());
    }

    /** Reads a folded model and its descriptor. */
    static FoldedNetwork folded(String path) {
        Path descriptor = descriptor(path, BundleKind.FOLDED);
        return READ.getWhileThereIsRoom(
                new Key("folded", descriptor, ""), version(descriptor), key -> FoldedNetwork.read(descriptor));
    }

    /** Reads a calibrated cascade. */
    static Cascade cascade(String path) {
        Path descriptor = descriptor(path, BundleKind.CASCADE);
        return READ.getWhileThereIsRoom(
                new Key("cascade", descriptor, ""), version(descriptor), key -> Cascade.read(descriptor));
    }

    /** Whether a path is that of a descriptor of a kind, or of a folder with one. No folder is at a URL. */
    static boolean isDescriptor(String path, BundleKind kind) {
        if (isUrl(path)) {
            return path.endsWith("/" + kind.file());
        }
        Path file = local(path);
        return file.endsWith(kind.file()) || Files.isRegularFile(file.resolve(kind.file()));
    }

    /** Reads the parity models or the learned code at a path, or beside the deployed model if the path is empty. */
    static PredictionCode parity(String path, String deployed) {
        if (path.isEmpty() && hasScheme(deployed)) {
            throw new ModelException("coded_predict needs parity models: say where they are with the option parity");
        }
        requireFolder(path);
        Path place = path.isEmpty() ? Path.of(deployed).toAbsolutePath().getParent() : local(path);
        Path descriptor = Files.isDirectory(place)
                ? Codes.in(place).orElseThrow(() -> new ModelException(missing(path, deployed)))
                : requireCode(place, path);
        return READ.getWhileThereIsRoom(
                new Key("code", descriptor, ""), version(descriptor), key -> Codes.read(descriptor));
    }

    private static Path requireCode(Path file, String path) {
        if (!Files.isRegularFile(file)) {
            throw new ModelException("the option parity must name " + Codes.FILES + " or the folder of it, got '" + path
                    + "', which is not there" + whereLooked(file, path));
        }
        return file;
    }

    private static String missing(String path, String deployed) {
        return "coded_predict needs parity models, and there is no " + Codes.FILES
                + (path.isEmpty() ? " beside " + deployed : " in " + path)
                + ": say where they are with the option parity, make them with bin/paritas train parity, or call predict";
    }

    /** Broadcasts a model to the executors, once for all queries that use it. */
    static SentModel broadcast(ModelFile model, SparkContext context) {
        // Contexts of one JVM may have one id, as on Kubernetes, but a broadcast ends with its context.
        String application = context.applicationId() + " since " + context.startTime();
        return SENT.get(model, application, file -> SentModel.of(file, context));
    }

    private static Path descriptor(String path, BundleKind kind) {
        requireFolder(path);
        Path file = local(path);
        return requireFile(Files.isDirectory(file) ? file.resolve(kind.file()) : file, path);
    }

    /** A descriptor names files beside it, and of a URL Spark fetches a single one. */
    private static void requireFolder(String path) {
        if (isUrl(path)) {
            throw new ModelException(
                    "parity models, learned codes, folded networks and cascades are several files, and by "
                            + scheme(path) + ": single ones are fetched, got '" + path
                            + "': put their folder on a file system, such as hdfs:, s3a: or file:");
        }
    }

    private static Path requireFile(Path file, String path) {
        if (Files.isDirectory(file)) {
            throw new ModelException("a model must be named by its file, got the folder '" + path
                    + "': name the file in it, such as " + path + (path.endsWith("/") ? "" : "/") + "base.onnx");
        }
        if (!Files.isRegularFile(file)) {
            throw new ModelException(
                    "there must be a model at '" + path + "', no such file is there" + whereLooked(file, path));
        }
        return file;
    }

    private static String whereLooked(Path file, String path) {
        return (hasScheme(path) ? "" : " on the driver (" + file.toAbsolutePath() + ")")
                + ": give a path that the driver can read, such as hdfs://...";
    }

    private static boolean hasScheme(String path) {
        int colon = path.indexOf(':');
        return colon > 1 && path.substring(0, colon).chars().allMatch(Character::isLetterOrDigit);
    }

    /** Whether a path is fetched as a single file. */
    static boolean isUrl(String path) {
        return hasScheme(path) && OF_URLS.contains(scheme(path));
    }

    private static String scheme(String path) {
        return path.substring(0, path.indexOf(':'));
    }

    /**
     * The local file or folder of a path. A path with another scheme than {@code file} is fetched once by each application, and again
     * if its copy was removed.
     */
    public static Path local(String path) {
        if (isRemote(path)) {
            SparkContext context = SparkContext.getOrCreate();
            return FETCHED.get(
                    new Fetched(path, context.applicationId()), Models::isThere, key -> fetch(path, context));
        }
        return hasScheme(path) ? localFile(path) : Path.of(path);
    }

    /* Whoever cleans folders of temporary files removes what is old, and leaves folders perhaps. */
    private static boolean isThere(Path copy) {
        if (!Files.isDirectory(copy)) {
            return Files.exists(copy);
        }
        try (Stream<Path> files = Files.list(copy)) {
            return files.findAny().isPresent();
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether a path is fetched: it has another scheme than {@code file}. */
    public static boolean isRemote(String path) {
        return hasScheme(path) && !path.startsWith("file:");
    }

    /** What Hadoop takes for a path; one with escapes, such as %20, too if there is no file with that name. */
    private static Path localFile(String path) {
        try {
            Path file = Path.of(new org.apache.hadoop.fs.Path(path).toUri().getPath());
            return Files.exists(file) ? file : Path.of(unescaped(path).toUri().getPath());
        } catch (IllegalArgumentException e) {
            throw new ModelException(
                    "a path with the scheme file must be absolute, such as file:///models/model.onnx; got '" + path
                            + "'",
                    e);
        }
    }

    /** The URI by which Spark fetches a path. Where Hadoop has the file, it is what {@link #localFile} would take, with escapes. */
    private static String uri(String path, SparkContext context) throws IOException {
        if (isUrl(path)) {
            return path;
        }
        org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(path);
        return (path.indexOf('%') < 0 || exists(file, context) ? file : unescaped(path))
                .toUri()
                .toString();
    }

    /** Whether a file is there. A store may tell that only to those who may list it: S3 refuses others for what is not there. */
    private static boolean exists(org.apache.hadoop.fs.Path file, SparkContext context) throws IOException {
        try {
            return file.getFileSystem(context.hadoopConfiguration()).exists(file);
        } catch (AccessDeniedException e) {
            return false;
        }
    }

    /** What a path means if its escapes are such. One with a blank, a bare %, # or ? has no escapes. */
    private static org.apache.hadoop.fs.Path unescaped(String path) {
        try {
            URI uri = new URI(path);
            if (uri.getQuery() == null && uri.getFragment() == null) {
                return new org.apache.hadoop.fs.Path(uri);
            }
        } catch (URISyntaxException e) {
            // has no escapes
        }
        return new org.apache.hadoop.fs.Path(path);
    }

    /**
     * Copies a file or a folder from a file system that Spark knows into a folder that only its owner can look into. It is
     * deleted when the JVM ends.
     */
    private static Path fetch(String path, SparkContext context) {
        try {
            Path folder = Files.createTempDirectory("paritas-models-"); // for its owner only
            ShutdownHookManager.registerShutdownDeleteDir(folder.toFile());
            return Path.of(URI.create(DependencyUtils$.MODULE$.downloadFile(
                    uri(path, context), folder.toFile(), context.conf(), context.hadoopConfiguration())));
        } catch (Exception e) { // Scala's methods do not declare what they throw
            // Of a URL, the message is the URL. Others say why: the file may be there, and not be readable.
            String reason = isUrl(path) && e instanceof FileNotFoundException ? "there is no such file, " : "";
            throw new ModelException("the model '" + path + "' cannot be fetched: " + reason + e.getMessage(), e);
        }
    }

    /**
     * What a file has until it is another one. The time alone would not tell: all files of an archive or an image may have one, and a
     * link is switched from one folder to the next.
     */
    private record Version(FileTime modified, long size, Object key, Path place) {}

    private static Version version(Path file) {
        try {
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
            return new Version(found.lastModifiedTime(), found.size(), found.fileKey(), file.toRealPath());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot look at " + file + ": " + e.getMessage(), e);
        }
    }
}
