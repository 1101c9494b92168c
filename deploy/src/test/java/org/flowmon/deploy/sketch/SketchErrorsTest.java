package org.flowmon.deploy.sketch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;

/** States and options that flowmon sketch refuses. */
class SketchErrorsTest extends SketchFixture {
  @Test
  void statesThatAreDamagedOrOfOthersAreNamed() throws Exception {
    byte[] numbers = state(function("QUANTILES", ValueKind.LONG), numbers(1, 2, 3));
    byte[] lengths = state(function("QUANTILES", ValueKind.DURATION), numbers(1, 2, 3));
    byte[] damaged = numbers.clone();
    damaged[damaged.length - 1] ^= 1;
    Path good = file("good", numbers);
    assertFails(
        3,
        "hurt: state 2, from byte " + numbers.length + ": an exported state",
        "sketch",
        "merge",
        file("hurt", numbers, damaged));
    assertFails(
        3,
        "line 3: an exported state: at byte 0: the checksum does not match",
        "sketch",
        "merge",
        textFile("hurt.txt", numbers, damaged));
    assertFails(
        3,
        "from byte 0: an exported state: at byte 0: says it has "
            + numbers.length
            + " bytes, found "
            + (numbers.length - 2),
        "sketch",
        "merge",
        file("short", Arrays.copyOf(numbers, numbers.length - 2)));
    assertFails(
        3,
        "line 1: expected an exported state, as bytes or a line of base64, found 'src_addr,bytes'",
        "sketch",
        "merge",
        Files.writeString(folder.resolve("words"), "src_addr,bytes\n"));
    assertFails(
        3,
        "other, line 1: an exported state: at byte 0: expected 'FLWS' and a header of 16 bytes,"
            + " found 75 bytes: 00 00 00 00",
        "sketch",
        "merge",
        Files.writeString(folder.resolve("other"), "A".repeat(100) + "\n"));
    assertFails(
        3,
        "tail: state 2, from byte "
            + numbers.length
            + ": an exported state: at byte 0: expected 'FLWS' and a header of 16 bytes, found 5"
            + " bytes: 6a 75 6e 6b",
        "sketch",
        "merge",
        file("tail", numbers, "junk\n".getBytes(StandardCharsets.US_ASCII)));
    assertFails(
        3,
        "expected exported states, found none",
        "sketch",
        "merge",
        Files.writeString(folder.resolve("empty"), ""));
    Path other = textFile("other.txt", lengths);
    assertFails(
        3,
        other
            + ", line 1: expected a state of QUANTILES(LONG, 0.01) as in "
            + good
            + ", state 1, found one of QUANTILES(DURATION, 0.01)",
        "sketch",
        "query",
        "MEDIAN",
        good,
        other);
    String line = text(state(function("QUANTILES", ValueKind.LONG), numbers(1, 2, 3)));
    Path hurt = folder.resolve("hurt.txt");
    Files.writeString(hurt, line.substring(0, 20) + "*" + line.substring(21) + "\n");
    assertFails(
        3,
        "hurt.txt, line 1: begins as an exported state; character 21 of the line, '*', is none"
            + " of base64",
        "sketch",
        "merge",
        hurt);
    Files.writeString(hurt, line.substring(0, line.length() - 3) + "\n");
    assertFails(3, "characters of base64 are cut", "sketch", "merge", hurt);
    assertFails(3, "no such file", "sketch", "merge", folder.resolve("none"));
    assertFails(
        3,
        "states of QUANTILES cannot be compared; expected HEAVY_HITTERS or DISTINCT_SAMPLE",
        "sketch",
        "diff",
        good,
        good);
  }

  @Test
  void extractorsThatCannotBeAreErrorsOfTheCommandLine() throws Exception {
    Path good = file("good", state(function("QUANTILES", ValueKind.LONG), numbers(1, 2, 3)));
    assertFails(
        2,
        "QUANTILE(state, share): expected share to be a number from 0 to 1, found 2",
        "sketch",
        "query",
        "QUANTILE(2)",
        good);
    assertFails(
        2, "states of QUANTILES have no extractor 'TOP'", "sketch", "query", "TOP(3)", good);
    assertFails(2, "expected ')' at its end", "sketch", "query", "QUANTILE(0.5", good);
    assertFails(2, "parameter 2 is empty", "sketch", "query", "QUANTILE(0.5,)", good);
    assertFails(2, "a text does not end", "sketch", "query", "RANK('a)", good);
    assertFails(2, "found ''", "sketch", "query", "", good);
    assertFails(2, "missing required parameter", "sketch", "query", "MEDIAN");
    assertFails(2, "expected one of [merge, diff, query]", "sketch");
  }

  @Test
  void ofJunkEachCommandNamesTheFileAndTheLineAndWhatWasExpected() throws Exception {
    Path good = textFile("good.txt", state(function("QUANTILES", ValueKind.LONG), numbers(1, 2)));
    byte[] noise = new byte[1000];
    new Random(SEED).nextBytes(noise);
    noise[0] = '\r'; // an empty first line, so the error is in line 2
    String wanted = ": expected an exported state, as bytes or a line of base64, found '";
    Map<Path, String> expected = new LinkedHashMap<>();
    expected.put(
        Files.writeString(folder.resolve("word"), "hello\n"),
        "word, line 1: expected exported states, found 'hello' and no more");
    expected.put(
        Files.writeString(folder.resolve("cut"), "FLW"),
        "cut, line 1: expected exported states, found 'FLW' and no more");
    expected.put(
        Files.writeString(folder.resolve("two.csv"), "dst_port,h\n22,RkxX\n"),
        "two.csv, line 1" + wanted + "dst_port,h'");
    expected.put(
        Files.writeString(
            folder.resolve("tail.txt"),
            Files.readString(good) + "gr\u00fc\u00dfe \u001b[31m" + "x".repeat(90)),
        "tail.txt, line 3" + wanted + "gr\u00fc\u00dfe \\x1b[31m" + "x".repeat(29) + "\u2026'");
    expected.put(Files.write(folder.resolve("noise"), noise), "noise, line 2" + wanted);
    expected.put(
        Files.createDirectory(folder.resolve("states")),
        "states: expected a file of exported states, found a folder");
    expected.forEach(
        (junk, says) -> {
          assertFails(3, says, "sketch", "merge", good, junk);
          assertFails(3, says, "sketch", "query", "MEDIAN", junk, good);
          assertFails(3, says, "sketch", "diff", good, junk);
        });
    Path word = folder.resolve("word");
    assertEquals(
        "flowmon sketch merge: "
            + word
            + ", line 1: expected exported states, found 'hello' and no more",
        said("sketch", "merge", good.toString(), word.toString()).strip());
    Path tail = folder.resolve("tail.txt");
    assertTrue(
        said("sketch", "diff", tail.toString(), good.toString())
            .startsWith("flowmon sketch diff: " + tail + ", line 3" + wanted));
  }
}
