/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import io.paritas.cli.bench.BenchCommand;
import io.paritas.cli.doctor.DoctorCommand;
import io.paritas.cli.file.DecodeCommand;
import io.paritas.cli.file.EncodeCommand;
import io.paritas.cli.file.RepairCommand;
import io.paritas.cli.file.VerifyCommand;
import io.paritas.cli.learn.EvalCommand;
import io.paritas.cli.learn.ExportCommand;
import io.paritas.cli.learn.InspectCommand;
import io.paritas.cli.learn.TrainCommand;
import io.paritas.cli.load.LoadCommand;
import io.paritas.cli.protect.InjectCommand;
import io.paritas.cli.protect.ProtectCommand;
import io.paritas.cli.quickstart.QuickstartCommand;
import io.paritas.cli.recommend.RecommendCommand;
import io.paritas.cli.result.ResultFile;
import io.paritas.cli.result.Results;
import io.paritas.cli.screen.ScreenCommand;
import io.paritas.cli.serve.ServeCommand;
import io.paritas.cli.spark.PythonWheelCommand;
import io.paritas.cli.spark.SparkJarsCommand;
import io.paritas.cli.tune.TuneCommand;
import io.paritas.erasure.CodeName;
import io.paritas.erasure.CodeParameters;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;

/** The program {@code paritas}. */
@Command(
        name = "paritas",
        description = "Erasure coding for Hadoop and Spark without native code, and coded inference.",
        mixinStandardHelpOptions = true,
        scope = ScopeType.INHERIT,
        versionProvider = Paritas.Version.class)
public final class Paritas {
    private static final List<Class<?>> COMMANDS = List.of(
            QuickstartCommand.class,
            DoctorCommand.class,
            BenchCommand.class,
            TuneCommand.class,
            EncodeCommand.class,
            DecodeCommand.class,
            VerifyCommand.class,
            RepairCommand.class,
            TrainCommand.class,
            EvalCommand.class,
            InspectCommand.class,
            ExportCommand.class,
            ServeCommand.class,
            LoadCommand.class,
            RecommendCommand.class,
            ProtectCommand.class,
            InjectCommand.class,
            ScreenCommand.class,
            SparkJarsCommand.class,
            PythonWheelCommand.class,
            CommandLine.HelpCommand.class);

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Show the stack trace of a failure.")
    private boolean verbose;

    private Paritas() {}

    /** Runs the command that the words name, and returns its exit status. */
    static int execute(String... arguments) {
        CommandLine program = commandLineFor(arguments);
        int status = program.execute(arguments);
        program.getOut().flush();
        // A print stream keeps to itself that a disk is full, or that nobody reads a pipe any more.
        if (status == 0 && System.out.checkError()) {
            System.err.println(
                    "paritas: the output could not be written completely: the disk may be full, or a pipe closed");
            status = named(program.getParseResult()).commandSpec().exitCodeOnExecutionException();
        }
        return status;
    }

    /** Returns the program's command line: its commands and their handling of failures. */
    public static CommandLine commandLine() {
        return commandLine(COMMANDS);
    }

    /**
     * Reads the options of one command only if that is named first, or after {@code --verbose}: those of all take a third of a second, and
     * classes that the doctor has not. Help tells of them all.
     */
    static CommandLine commandLineFor(String... arguments) {
        Optional<String> first =
                Stream.of(arguments).filter(word -> !word.equals("--verbose")).findFirst();
        List<Class<?>> named = COMMANDS.stream()
                .filter(command -> command != CommandLine.HelpCommand.class)
                .filter(command -> first.equals(Optional.of(name(command))))
                .toList();
        return commandLine(named.isEmpty() ? COMMANDS : named);
    }

    private static String name(Class<?> command) {
        return command.getAnnotation(Command.class).name();
    }

    private static CommandLine commandLine(List<Class<?>> commands) {
        Paritas program = new Paritas();
        FailureHandler failures = new FailureHandler(program);
        CommandLine commandLine = new CommandLine(program);
        commands.forEach(commandLine::addSubcommand);
        return commandLine
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExpandAtFiles(false)
                .registerConverter(CodeParameters.class, new CodeConverter())
                .registerConverter(CodeName.class, new CodeNameConverter())
                .registerConverter(ResultFile.class, new ResultFile.Converter())
                .setExecutionStrategy(Paritas::run)
                .setExecutionExceptionHandler(failures)
                .setParameterExceptionHandler(failures);
    }

    /** Runs the command that was named; too little memory for what was asked is a failure as others. */
    private static int run(ParseResult parsed) {
        try {
            ParseResult named = named(parsed);
            if (!named.isUsageHelpRequested() && !named.isVersionHelpRequested()) {
                Results.check(named);
            }
            return new CommandLine.RunLast().execute(parsed);
        } catch (OutOfMemoryError e) {
            String message = shortage(String.valueOf(e.getMessage()));
            throw new CommandLine.ExecutionException(
                    named(parsed).commandSpec().commandLine(), message, new IllegalStateException(message, e));
        }
    }

    /** Asks for the options of this JVM only where they count: that takes memory, and the heap may be full. */
    private static String shortage(String message) {
        return shortage(
                message,
                message.contains("direct buffer")
                        ? ManagementFactory.getRuntimeMXBean().getInputArguments()
                        : List.of());
    }

    /** What there is too little of, by the message of an OutOfMemoryError, and what to do. */
    static String shortage(String message, List<String> options) {
        if (message.contains("native thread")) {
            return "the system gives this process no more threads (" + message
                    + "): raise the limit of processes of the user (ulimit -u) or of the container, or ask for fewer threads";
        }
        String limit = "-XX:MaxDirectMemorySize";
        if (message.contains("direct buffer") && options.stream().anyMatch(option -> option.startsWith(limit))) {
            return "what was asked needs more memory beside the heap than " + limit + " allows (" + message
                    + "): ask for less at a time, or raise it";
        }
        return "what was asked needs more memory than this JVM may use, which is "
                + (Runtime.getRuntime().maxMemory() >> 20) + " MiB (" + message
                + "): ask for less at a time, or set PARITAS_OPTS=-Xmx8g, say";
    }

    /** What was parsed of the command that runs. */
    private static ParseResult named(ParseResult parsed) {
        ParseResult last = parsed;
        while (last.hasSubcommand()) {
            last = last.subcommand();
        }
        return last;
    }

    /** Returns whether to print the stack trace of a failure. */
    boolean verbose() {
        return verbose;
    }

    /** The version that the jar of this class has. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Paritas.class.getPackage().getImplementationVersion();
            return new String[] {"paritas " + (version == null ? "of classes without a jar" : version)};
        }
    }
}
