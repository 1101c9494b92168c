package org.flowmon.udaf.function;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;

/** The function of docs/examples/udaf, compiled and laid out as in a jar. */
final class Example {
  private Example() {}

  /** A loader that also sees the example, compiled into a folder. */
  static URLClassLoader compile(Path folder) throws Exception {
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-d",
                folder.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                file("BitsSeen.java").toString());
    assertEquals(0, result, "the example does not compile");
    String service = "META-INF/services/" + Udaf.class.getName();
    Files.createDirectories(folder.resolve(service).getParent());
    Files.copy(file(service), folder.resolve(service));
    return new URLClassLoader(new URL[] {folder.toUri().toURL()}, Example.class.getClassLoader());
  }

  private static Path file(String name) {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(root.resolve("docs/examples"))) {
      root = root.getParent();
    }
    return root.resolve("docs/examples/udaf").resolve(name);
  }
}
