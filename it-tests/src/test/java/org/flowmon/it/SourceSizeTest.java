package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How long files and methods are, in what is shipped. */
class SourceSizeTest {
  private static final int MOST_LINES_OF_A_FILE = 500;
  private static final int MOST_LINES_OF_A_METHOD = 60;
  private static final int MEDIAN_LINES_OF_FILES = 100;

  private static List<Path> files;

  @BeforeAll
  static void findFiles() throws IOException {
    files = new ArrayList<>();
    for (String module : ArchitectureTest.MODULES) {
      Path sources = ProjectFiles.root().resolve(module).resolve("src/main/java");
      try (Stream<Path> paths = Files.walk(sources)) {
        files.addAll(paths.filter(path -> path.toString().endsWith(".java")).toList());
      }
    }
    assertTrue(files.size() > 500, "only " + files.size() + " files were found");
  }

  private static String name(Path file) {
    return ProjectFiles.root().relativize(file).toString();
  }

  @Test
  void noFileIsLongerThanOneReads() throws IOException {
    List<String> large = new ArrayList<>();
    List<Integer> all = new ArrayList<>();
    for (Path file : files) {
      int lines = Files.readAllLines(file).size();
      all.add(lines);
      if (lines > MOST_LINES_OF_A_FILE) {
        large.add(name(file) + " has " + lines);
      }
    }
    assertEquals(List.of(), large, "at most " + MOST_LINES_OF_A_FILE + " lines a file");
    all.sort(null);
    int median = all.get(all.size() / 2);
    assertTrue(
        median <= MEDIAN_LINES_OF_FILES,
        "half of the files have more than " + median + " lines: split what has two subjects");
  }

  @Test
  void noMethodIsLongerThanAScreen() throws IOException {
    List<String> found = new ArrayList<>();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null, manager, null, null, null, manager.getJavaFileObjectsFromPaths(files));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      for (CompilationUnitTree unit : task.parse()) {
        unit.accept(new LongMethods(unit, positions, found), null);
      }
    }
    assertEquals(List.of(), found, "at most " + MOST_LINES_OF_A_METHOD + " lines a method");
  }

  /** Finds methods whose body, with its braces, has too many lines. */
  private static final class LongMethods extends TreeScanner<Void, Void> {
    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final List<String> found;

    LongMethods(CompilationUnitTree unit, SourcePositions positions, List<String> found) {
      this.unit = unit;
      this.positions = positions;
      this.found = found;
    }

    @Override
    public Void visitMethod(MethodTree method, Void unused) {
      if (method.getBody() != null) {
        LineMap lines = unit.getLineMap();
        long first = lines.getLineNumber(positions.getStartPosition(unit, method.getBody()));
        long last = lines.getLineNumber(positions.getEndPosition(unit, method.getBody()));
        if (last - first + 1 > MOST_LINES_OF_A_METHOD) {
          String file = name(Path.of(unit.getSourceFile().toUri()));
          found.add(file + " " + method.getName() + " has " + (last - first + 1));
        }
      }
      return super.visitMethod(method, null);
    }
  }
}
