package org.flowmon.udaf.catalogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.Extractor;
import org.flowmon.udaf.function.Udaf;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.function.UdafException;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UdafsTest {
  private static class Named implements Udaf {
    private final String name;
    private final List<Extractor> extractors;

    Named(String name, String... extractors) {
      this.name = name;
      this.extractors = java.util.Arrays.stream(extractors).<Extractor>map(Taker::new).toList();
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public String signature() {
      return name + "(x)";
    }

    @Override
    public BoundUdaf bind(UdafCall call) {
      call.rows(0, "x", ValueKind.LONG, ValueKind.DOUBLE);
      call.atMost(1);
      throw new UnsupportedOperationException("it has only a name");
    }

    @Override
    public List<Extractor> extractors() {
      return extractors;
    }
  }

  private record Taker(String name) implements Extractor {
    @Override
    public String signature() {
      return name + "(state)";
    }

    @Override
    public BoundExtractor bind(BoundUdaf function, UdafCall call) {
      throw new UnsupportedOperationException("it has only a name");
    }
  }

  private static void refuses(String message, Udaf... functions) {
    UdafException e = assertThrows(UdafException.class, () -> Udafs.of(List.of(functions)));
    assertEquals(message, e.getMessage());
  }

  @Test
  void namesThatClashAreErrorsThatNameBoth() {
    String owner = Named.class.getName();
    refuses(
        "both " + owner + " and " + owner + " have a function 'A': give one of them another name",
        new Named("A"),
        new Named("A"));
    refuses(
        owner + " has a function 'SUM', a name of the dialect: give it another name",
        new Named("SUM"));
    refuses(
        owner + " has two extractors 'E' of A: give one of them another name",
        new Named("A", "E", "F", "E"));
    refuses(
        owner
            + " has a function 'a'; expected upper-case letters, digits and _, beginning with a"
            + " letter",
        new Named("a"));
    refuses(
        owner
            + " has an extractor '_'; expected upper-case letters, digits and _, beginning with"
            + " a letter",
        new Named("A", "_"));
  }

  @Test
  void aNameThatIsNotKnownSaysWhichMayBeMeant() {
    Udafs functions = Udafs.of(List.of(new Named("QUANTILES"), new Named("TOPS")));
    UdafException e =
        assertThrows(UdafException.class, () -> functions.bind("quantils", List.of()));
    assertEquals("no aggregate function 'quantils'; did you mean 'QUANTILES'?", e.getMessage());
    e = assertThrows(UdafException.class, () -> functions.bind("histogram", List.of()));
    assertEquals(
        "no aggregate function 'histogram'; expected one of QUANTILES, TOPS", e.getMessage());
  }

  @Test
  void argumentsAreErrorsWithTheirPlace() {
    Udafs functions = Udafs.of(List.of(new Named("A")));
    UdafException e = assertThrows(UdafException.class, () -> functions.bind("a", List.of()));
    assertEquals("A(x): expected x, found 0 arguments", e.getMessage());
    UdafCall.Argument text = UdafCall.Argument.ofRows(ValueKind.TEXT);
    e = assertThrows(UdafException.class, () -> functions.bind("a", List.of(text)));
    assertEquals("A(x): expected x to be LONG or DOUBLE, found TEXT", e.getMessage());
    assertEquals(0, e.argument());
    UdafCall.Argument number = UdafCall.Argument.ofRows(ValueKind.LONG);
    e = assertThrows(UdafException.class, () -> functions.bind("a", List.of(number, text)));
    assertEquals("A(x): expected one argument, found 2", e.getMessage());
    assertEquals(1, e.argument());
  }

  @Test
  void aServiceThatCannotBeLoadedIsNamed(@TempDir Path folder) throws Exception {
    Path service = folder.resolve("META-INF/services/" + Udaf.class.getName());
    Files.createDirectories(service.getParent());
    Files.writeString(service, "no.such.Function\n");
    URL[] urls = {new File(folder.toString()).toURI().toURL()};
    try (URLClassLoader loader = new URLClassLoader(urls, getClass().getClassLoader())) {
      UdafException e = assertThrows(UdafException.class, () -> Udafs.load(loader));
      assertTrue(e.getMessage().contains("no.such.Function"), e.getMessage());
    }
  }
}
