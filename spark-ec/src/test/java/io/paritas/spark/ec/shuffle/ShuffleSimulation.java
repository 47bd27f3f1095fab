/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.CodeName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.FallbackStorage;

/**
 * A shuffle in an application in which executors join, die and leave, in one thread. Orders to one executor arrive in their order, as its
 * messages do; otherwise anything may be early or late. Checks {@linkplain ShufflePromises what must hold} whatever happens.
 */
final class ShuffleSimulation {
    private static final List<String> CODES = List.of("rs-2-1", "rs-3-2", "paritas-4-1", "rs-1-1", "lrc-6-2-2");

    private static final int MOST_EXECUTORS = 9;

    /** So many rounds of repair bring all to rest. */
    private static final int ROUNDS = 16;

    /** Orders and their messages have ended long before so many turns. */
    private static final int TURNS = 1_000;

    private final Random random;
    private final ShuffleEvent.Weather weather;
    private final CodeName code;
    private final int maps;
    private final SimulatedFiles files = new SimulatedFiles();
    private final SimulatedDriver driver;
    private final ShufflePromises promises;
    private final List<Sent> orders = new ArrayList<>();
    private final List<Message> messages = new ArrayList<>();

    /** Map partitions of which an attempt runs, or its end is not known. */
    private final Set<Integer> running = new HashSet<>();

    private final List<String> history = new ArrayList<>();

    /** Whether Spark copies what no executor takes to its fallback storage. */
    private final boolean hasFallback;

    /** Whether orders fail, disks are full, and files cannot be read, too. */
    private final boolean isTroubled;

    /** The number of the next attempt of a map task. */
    private long next = SimulatedFiles.FIRST_OUTPUT;

    /** An order that is on its way. */
    private record Sent(SimulatedExecutor to, ShuffleOrder order) {}

    /** A message that is on its way to the driver, or news of Spark's. */
    private record Message(SimulatedExecutor from, String text, Consumer<SimulatedDriver> heard) {}

    ShuffleSimulation(int seed) {
        this.random = new Random(seed);
        this.code = CodeName.parse(any(CODES));
        this.maps = 3 + random.nextInt(6);
        this.hasFallback = random.nextInt(4) == 0;
        this.isTroubled = random.nextBoolean();
        this.weather = new ShuffleEvent.Weather(random);
        this.driver = new SimulatedDriver(maps, code, this::send);
        this.promises = new ShufflePromises(files, driver);
        tell(code + ", " + maps + " map partitions");
        for (int executor = 3 + random.nextInt(5); executor > 0; executor--) {
            join();
        }
    }

    /** What has happened, a line each. */
    List<String> history() {
        return history;
    }

    private void tell(String line) {
        history.add(line);
    }

    private <T> T any(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private boolean perhaps(int oneOf) {
        return random.nextInt(oneOf) == 0;
    }

    /** Something happens to one of these, if there is any. */
    private <T> void happen(List<T> all, Consumer<T> event) {
        if (!all.isEmpty()) {
            event.accept(any(all));
        }
    }

    private List<SimulatedExecutor> living() {
        return files.all().stream().filter(executor -> !executor.isDead).toList();
    }

    private List<SimulatedExecutor> working() {
        return files.all().stream().filter(SimulatedExecutor::isWorking).toList();
    }

    private List<SimulatedExecutor> leaving() {
        return files.all().stream().filter(SimulatedExecutor::isLeaving).toList();
    }

    /** Plays so many events, and what follows; checks the promises. */
    void play(int events) {
        for (int event = 0; event < events; event++) {
            weather.next(random).happen(this);
            promises.always();
        }
        settle();
        promises.atRest();
        end();
        promises.atTheEnd();
    }

    void join() {
        if (working().size() < MOST_EXECUTORS) {
            tell(files.join() + " joins");
        }
    }

    /** An attempt for a partition whose output is not there, nor about to come. */
    void runTask() {
        happen(
                IntStream.range(0, maps)
                        .filter(map -> driver.output(map).isEmpty() && !running.contains(map))
                        .boxed()
                        .toList(),
                this::runTask);
    }

    void runTaskAgain() {
        runTask(random.nextInt(maps));
    }

    private void runTask(int partition) {
        happen(working(), executor -> {
            long map = next++;
            long bytes = perhaps(10) ? 0 : 100 + random.nextInt(100);
            executor.files.add(map);
            running.add(partition);
            MapStatus output = MapStatus$.MODULE$.apply(executor.id, new long[] {bytes}, map, 0);
            say(executor, "has output %d of partition %d, %d bytes".formatted(map, partition, bytes), hearing -> {
                running.remove(partition);
                hearing.taskHasEnded(partition, output);
            });
        });
    }

    private void say(SimulatedExecutor from, String text, Consumer<SimulatedDriver> heard) {
        tell(from + " " + text);
        messages.add(new Message(from, text, heard));
    }

    /** The driver hears something, of anybody. */
    void receive() {
        happen(
                messages,
                any -> receive(messages.stream()
                        .filter(message -> message.from() == any.from())
                        .findFirst()
                        .orElseThrow()));
    }

    private void receive(Message message) {
        messages.remove(message);
        tell("the driver hears: " + message.from() + " " + message.text());
        message.heard().accept(driver);
    }

    private void send(BlockManagerId to, ShuffleOrder order) {
        promises.ordered(to, order);
        SimulatedExecutor executor = files.find(to).orElseThrow();
        tell("the driver tells " + executor + ": " + order);
        orders.add(new Sent(executor, order));
    }

    /** An order comes to its executor. If that is dead, the driver knows soon that it could not be sent. */
    void deliver() {
        happen(
                orders,
                any -> deliver(orders.stream()
                        .filter(order -> order.to() == any.to())
                        .findFirst()
                        .orElseThrow()));
    }

    private void deliver(Sent sent) {
        orders.remove(sent);
        if (!sent.to().isDead) {
            sent.to().orders.add(sent.order());
        } else if (sent.order() instanceof ShuffleOrder.Making making) {
            tell("nobody takes the order to " + making);
            fail(sent.to(), making).accept(driver);
        }
    }

    private Consumer<SimulatedDriver> fail(SimulatedExecutor executor, ShuffleOrder.Making order) {
        executor.failures.addAll(order.maps());
        return order.failed(executor);
    }

    /** Some executor carries out its next order, or fails. */
    void carryOut() {
        happen(busy(), executor -> carryOut(executor, !(isTroubled && perhaps(12))));
    }

    private void carryOut(SimulatedExecutor executor, boolean isLucky) {
        ShuffleOrder order = executor.orders.remove();
        if (order instanceof ShuffleOrder.DeleteParity delete) {
            executor.files.remove(delete.file());
        } else if (order instanceof ShuffleOrder.Making making) {
            if (isLucky && !executor.isFull && making.isPossible(files)) {
                executor.files.add(making.file());
                say(executor, "can " + making, making.done(executor));
            } else {
                say(executor, "cannot " + making, fail(executor, making));
            }
        }
    }

    /** Spark's list has executors that are to leave for a while. */
    private SimulatedDriver.Roll roll(int expected) {
        boolean isLate = random.nextBoolean();
        List<BlockManagerId> listed = files.all().stream()
                .filter(executor -> !executor.isMissed && (isLate || !executor.leaves))
                .map(executor -> executor.id)
                .toList();
        return new SimulatedDriver.Roll(listed, expected);
    }

    private int expected() {
        return perhaps(4) ? 1 + random.nextInt(2) : 0;
    }

    void plan() {
        if (driver.isChanged() || perhaps(5)) {
            driver.plan(roll(expected()));
        }
    }

    void repair() {
        tell("the driver repairs");
        driver.repair(roll(expected()));
    }

    void kill() {
        if (living().size() > 2) {
            kill(any(living()));
        }
    }

    private void kill(SimulatedExecutor executor) {
        tell(executor + " dies");
        executor.die();
    }

    /** Two at once, and the driver hears of them together. */
    void killRack() {
        if (living().size() > 3) {
            kill();
            kill();
            files.unmissed().forEach(this::miss);
        }
    }

    void miss() {
        happen(files.unmissed(), this::miss);
    }

    private void miss(SimulatedExecutor executor) {
        tell("the driver misses " + executor);
        executor.isMissed = true;
        driver.executorIsLost(executor.id);
    }

    void fillDisk() {
        if (isTroubled && working().size() > 2) {
            SimulatedExecutor executor = any(working());
            tell("the disk of " + executor + " is full");
            executor.isFull = true;
        }
    }

    void read() {
        read(random.nextInt(maps));
    }

    /** A reducer fetches an output, or decodes it, or reports that it can do neither. */
    private void read(int partition) {
        driver.output(partition).filter(SimulatedFiles::hasBytes).ifPresent(output -> {
            BlockManagerId at = output.location();
            long map = output.mapId();
            boolean isRead = SimulatedFiles.isInFallback(at)
                    || files.has(at, map)
                    || driver.groups
                            .group(map)
                            .filter(group -> files.decode(group, map))
                            .isPresent();
            if (!isRead) {
                fetchFails(partition, at);
            }
        });
    }

    private void fetchFails(int partition, BlockManagerId at) {
        tell("the output of partition " + partition + " cannot be read from executor " + at.executorId());
        files.find(at).filter(executor -> !executor.isDead).ifPresent(executor -> executor.isDoubted = true);
        driver.fetchFails(partition, at);
    }

    /** Spark takes its executor for lost. */
    void breakFile() {
        int partition = random.nextInt(maps);
        driver.output(partition)
                .map(MapStatus::location)
                .filter(at -> isTroubled && !LostLocation.is(at) && !SimulatedFiles.isInFallback(at))
                .ifPresent(at -> fetchFails(partition, at));
    }

    void dropAll() {
        if (perhaps(6)) {
            tell("all outputs are dropped");
            driver.removeAll();
        }
    }

    void tellToLeave() {
        if (working().size() > 2) {
            SimulatedExecutor executor = any(working());
            tell(executor + " is to leave");
            executor.leaves = true;
        }
    }

    void askToLeave() {
        happen(leaving(), this::askToLeave);
    }

    /** It asks about all its files; Spark copies what nobody takes over. It goes when nobody needs it any more. */
    private void askToLeave(SimulatedExecutor executor) {
        boolean waits = false;
        for (long map : List.copyOf(executor.files)) {
            if (SimulatedFiles.isOutput(map) && !executor.given.contains(map)) {
                Departures.Parting parting = driver.parting(executor.id, map, roll(0));
                waits |= parting == Departures.Parting.WAIT;
                if (parting == Departures.Parting.COPY) {
                    copy(executor, map);
                }
            }
        }
        waits |= driver.parting(executor.id, roll(0)) == Departures.Parting.WAIT;
        if (!waits && driver.outputs().stream().noneMatch(output -> isAt(output, executor))) {
            kill(executor);
            miss(executor);
        }
    }

    private static boolean isAt(MapStatus output, SimulatedExecutor executor) {
        return SimulatedFiles.hasBytes(output) && output.location().equals(executor.id);
    }

    private void copy(SimulatedExecutor from, long map) {
        if (hasFallback && random.nextBoolean()) {
            from.given.add(map);
            tell(from + " copies " + map + " to the fallback storage");
            driver.outputIsAt(map, FallbackStorage.FALLBACK_BLOCK_MANAGER_ID());
        } else {
            happen(working(), to -> {
                from.given.add(map);
                to.files.add(map);
                say(to, "has a copy of " + map, hearing -> hearing.outputIsAt(map, to.id));
            });
        }
    }

    /** Two die at last, when all orders are carried out, and later who has a full disk. Otherwise nothing bad happens any more. */
    private void settle() {
        exchange();
        killRack();
        tell("from now on nothing bad happens");
        for (int round = 0; round < ROUNDS; round++) {
            if (round == ROUNDS / 2) {
                living().stream().filter(executor -> executor.isFull).forEach(this::kill);
            }
            files.unmissed().forEach(this::miss);
            joinEnough();
            tell("the driver repairs");
            driver.repair(roll(0));
            promises.always();
            exchange();
            leaving().forEach(this::askToLeave);
            IntStream.range(0, maps).forEach(this::readOrRun);
            promises.always();
        }
        exchange();
        promises.always();
    }

    private void joinEnough() {
        while (working().stream().filter(executor -> !executor.isDoubted).count() <= code.n()) {
            tell(files.join() + " joins");
        }
    }

    private void readOrRun(int partition) {
        if (driver.output(partition).isEmpty() && !running.contains(partition)) {
            runTask(partition);
        } else {
            read(partition);
        }
    }

    /** All orders are carried out, and all messages arrive, until there are none. */
    private void exchange() {
        int turns = 0;
        while (!orders.isEmpty() || !messages.isEmpty() || !busy().isEmpty()) {
            assertThat(turns++).as("orders and messages come to an end").isLessThan(TURNS);
            List.copyOf(orders).forEach(this::deliver);
            busy().forEach(executor -> carryOut(executor, true));
            List.copyOf(messages).forEach(this::receive);
        }
    }

    private List<SimulatedExecutor> busy() {
        return files.all().stream()
                .filter(executor -> !executor.orders.isEmpty())
                .toList();
    }

    /** The shuffle ends. */
    private void end() {
        driver.removeAll();
        driver.repair(roll(0));
        exchange();
    }
}
