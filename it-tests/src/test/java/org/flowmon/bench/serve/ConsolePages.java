package org.flowmon.bench.serve;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.flowmon.bench.harness.Run;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/**
 * Pages of the console in Chromium without a window: ms until their content is on the screen, and
 * until all of the page is. The page itself takes the times, in the first frame after each change.
 */
final class ConsolePages implements AutoCloseable {
  private static final Duration MOST = Duration.ofMinutes(1);

  /**
   * A host's page, once it is that of the address: its content is the summary, not yet its flows.
   */
  private static final String RECORDER =
      """
      window.timed = {begin: 0};
      const seen = (selector) => document.querySelector(selector) !== null;
      const isOfAddress = () => document.querySelector('h1')?.textContent === location.hash.split(/[/?]/)[2];
      const isEmpty = () => seen('[data-state=empty]');
      const isContent = () => isOfAddress() && (isEmpty()
        || ['[data-tile=first_seen]', 'table[aria-label=Peers]', 'table[aria-label=Services]'].every(seen));
      const isWhole = () => isOfAddress() && !seen('[aria-busy="true"], .wait')
        && (isEmpty() || (seen('[data-count]') && seen('table[aria-label=Flows]')));
      const mark = (name, holds) => {
        if (window.timed[name] === undefined && holds()) {
          window.timed[name] = 0;
          const note = () => { window.timed[name] = performance.now() - window.timed.begin; };
          requestAnimationFrame(() => scheduler.postTask(note, {priority: 'user-blocking'}));
        }
      };
      new MutationObserver(() => { mark('content', isContent); mark('whole', isWhole); })
        .observe(document, {subtree: true, childList: true, attributes: true});
      """;

  private static final String TIMES =
      "return window.timed?.whole > 0 && window.timed.content > 0"
          + " ? [window.timed.content, window.timed.whole] : null";

  private static final String GO =
      "window.timed = {begin: performance.now()}; location.hash = arguments[0]";

  /** Of one page: ms until its content is on the screen, and until all of it is. */
  record Times(double content, double whole) {}

  private final ChromeDriver driver;
  private final URI server;

  private ConsolePages(ChromeDriver driver, URI server) {
    this.driver = driver;
    this.server = server;
  }

  /** Empty without Chromium and its driver. */
  static Optional<ConsolePages> start(URI server) {
    Optional<Path> chromium = program("chromium");
    Optional<Path> service = program("chromedriver");
    if (chromium.isEmpty() || service.isEmpty()) {
      return Optional.empty();
    }
    ChromeOptions options = new ChromeOptions();
    options.setBinary(chromium.get().toFile());
    // The sandbox needs a user other than root; all that is shown comes from this benchmark.
    options.addArguments(
        "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900");
    ChromeDriver driver =
        new ChromeDriver(
            new ChromeDriverService.Builder()
                .usingDriverExecutable(service.get().toFile())
                .usingAnyFreePort()
                .build(),
            options);
    driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", RECORDER));
    return Optional.of(new ConsolePages(driver, server));
  }

  private static Optional<Path> program(String name) {
    return Stream.of(System.getenv("PATH").split(":", -1))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Opens a view anew, as from a link; times since it was asked for. */
  Times open(String view) {
    driver.get("about:blank");
    driver.get(server.resolve("/") + view);
    return times(view);
  }

  /** Goes from the page that is shown to another view. */
  Times go(String view) {
    driver.executeScript(GO, view);
    return times(view);
  }

  private Times times(String view) {
    long end = System.nanoTime() + MOST.toNanos();
    while (true) {
      if (driver.executeScript(TIMES) instanceof List<?> found) {
        return new Times(
            ((Number) found.get(0)).doubleValue(), ((Number) found.get(1)).doubleValue());
      }
      Run.require(System.nanoTime() < end, "%s was not shown within %s", view, MOST);
      sleep();
    }
  }

  private static void sleep() {
    try {
      Thread.sleep(50);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    driver.quit();
  }
}
