package org.flowmon.it;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;
import org.openqa.selenium.By;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** Chromium without a window, at one page after the other of the console. */
final class Browser implements AutoCloseable {
  private static final int HEIGHT = 900;
  private static final int TALLEST = 2400;

  /** Keeps what a page asks, as {@link #asked} has it. */
  private static final String RECORDER =
      "window.asked = []; const send = window.fetch; window.fetch = (url, options = {}) => {"
          + " window.asked.push([options.method ?? 'GET', url, options.body ?? ''].join(' '));"
          + " return send(url, options); };";

  private final ChromeDriver driver;
  private final String base;
  private int width;

  /** The test is skipped, or fails, without Chromium and its driver. */
  Browser(String base) {
    Path chromium = ProjectFiles.tool("chromium");
    Path service = ProjectFiles.tool("chromedriver");
    ChromeOptions options = new ChromeOptions();
    options.setBinary(chromium.toFile());
    // The sandbox needs a user other than root; all that is shown comes from this test.
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-lcd-text",
        "--hide-scrollbars",
        "--lang=en");
    LoggingPreferences log = new LoggingPreferences();
    log.enable(LogType.BROWSER, Level.ALL);
    options.setCapability("goog:loggingPrefs", log);
    this.driver =
        new ChromeDriver(
            new ChromeDriverService.Builder()
                .usingDriverExecutable(service.toFile())
                .usingAnyFreePort()
                .build(),
            options);
    this.base = base;
    driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", RECORDER));
    look("light", 1280);
  }

  /** The theme that the system prefers, and the width of the window. */
  void look(String theme, int wide) {
    width = wide;
    size(HEIGHT);
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
  }

  private void size(long height) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  /** Opens a view anew, as from a link that somebody sent, and waits until it is whole. */
  void open(String view) throws InterruptedException {
    driver.get("about:blank");
    driver.get(base + view);
    settle();
  }

  /** Waits until nothing is being loaded. */
  void settle() throws InterruptedException {
    await(
        "return document.querySelector('main') !== null"
            + " && document.querySelectorAll('[aria-busy=\"true\"], .wait').length === 0"
            + " && document.readyState === 'complete'",
        "the page is loaded");
  }

  /** Waits until a script returns true. */
  void await(String script, String what, Object... arguments) throws InterruptedException {
    long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
    int times = 0;
    while (times < 2) { // A part may begin to load when another one has ended.
      times = Boolean.TRUE.equals(run(script, arguments)) ? times + 1 : 0;
      if (System.nanoTime() > end) {
        throw new AssertionError("waited in vain until " + what + ":\n" + text("body"));
      }
      Thread.sleep(100);
    }
  }

  Object run(String script, Object... arguments) {
    return ((JavascriptExecutor) driver).executeScript(script, arguments);
  }

  /** The part of the address after the host. */
  String address() {
    return Objects.requireNonNull(driver.getCurrentUrl()).substring(base.length());
  }

  String text(String selector) {
    return driver.findElement(By.cssSelector(selector)).getText();
  }

  boolean has(String selector) {
    return !driver.findElements(By.cssSelector(selector)).isEmpty();
  }

  /** What the cells of a table's column hold, exactly. */
  List<String> column(String table, String column) {
    return values(
        "return [...document.querySelectorAll('table[aria-label=\"' + arguments[0] + '\"]"
            + " td[data-column=\"' + arguments[1] + '\"]')].map(cell => cell.dataset.value ?? '')",
        table,
        column);
  }

  /** The requests of the page since it was opened: method, address and body. */
  List<String> asked() {
    return values("return window.asked");
  }

  /**
   * A member of the timing of the page's first request for a path, ms since the page was asked for.
   */
  double time(String path, String member) {
    String script =
        "return performance.getEntriesByType('resource')"
            + ".find((one) => one.name.includes('api/v1/' + arguments[0]))[arguments[1]]";
    return ((Number) run(script, path, member)).doubleValue();
  }

  private List<String> values(String script, Object... arguments) {
    List<String> values = new ArrayList<>();
    for (Object value : (List<?>) Objects.requireNonNull(run(script, arguments))) {
      values.add(String.valueOf(value));
    }
    return values;
  }

  WebElement find(By by) {
    return driver.findElement(by);
  }

  void click(By by) throws InterruptedException {
    find(by).click();
    Thread.sleep(50);
    settle();
  }

  void back() throws InterruptedException {
    driver.navigate().back();
    Thread.sleep(50);
    settle();
  }

  /** The editor of a query or a condition, which lives in a shadow tree. */
  WebElement editor(String kind) throws InterruptedException {
    String found =
        "document.querySelector('[data-editor=\""
            + kind
            + "\"]')?.shadowRoot"
            + "?.querySelector('.cm-content')";
    await("return Boolean(" + found + ")", "there is an editor");
    return (WebElement) Objects.requireNonNull(run("return " + found));
  }

  /** What is marked as wrong in the editor. */
  String marked(String kind) {
    return String.valueOf(
        run(
            "return document.querySelector('[data-editor=\""
                + kind
                + "\"]').shadowRoot"
                + ".querySelector('.cm-lintRange-error')?.textContent ?? ''"));
  }

  /** A picture of the whole page, as far as it is of a height that one looks at. */
  void picture(Path file) throws IOException, InterruptedException {
    long whole = (Long) Objects.requireNonNull(run("return document.documentElement.scrollHeight"));
    picture(file, Math.min(Math.max(whole, 300), TALLEST));
  }

  /** A picture of the page's upper part. */
  void picture(Path file, long height) throws IOException, InterruptedException {
    size(height);
    Thread.sleep(300); // Charts follow the size of their place.
    Files.createDirectories(file.getParent());
    writeSmall(driver.getScreenshotAs(OutputType.BYTES), file);
    size(HEIGHT);
  }

  /** Chromium packs its pictures fast, not small. */
  private static void writeSmall(byte[] png, Path file) throws IOException {
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(png));
    ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
    ImageWriteParam most = writer.getDefaultWriteParam();
    most.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
    most.setCompressionQuality(0);
    Files.deleteIfExists(file);
    try (ImageOutputStream out = ImageIO.createImageOutputStream(file.toFile())) {
      writer.setOutput(out);
      writer.write(null, new IIOImage(image, null, null), most);
    } finally {
      writer.dispose();
    }
  }

  /** How far the page is wider than its window. */
  long overflow() {
    return (Long)
        Objects.requireNonNull(
            run(
                "return document.documentElement.scrollWidth"
                    + " - document.documentElement.clientWidth"));
  }

  /** What axe finds wrong: rule, and the first element. */
  List<String> inaccessible() throws IOException {
    try (InputStream script =
        Objects.requireNonNull(Browser.class.getResourceAsStream("/axe.min.js"))) {
      run(new String(script.readAllBytes(), StandardCharsets.UTF_8));
    }
    List<String> found = new ArrayList<>();
    Object violations =
        driver.executeAsyncScript(
            "const done = arguments[arguments.length - 1];"
                + "axe.run(document, {resultTypes: ['violations']}).then(result => done("
                + "result.violations.map(v => v.id + ': ' + v.help + ': ' + v.nodes.slice(0, 3)"
                + ".map(n => n.html.slice(0, 200) + ' ' + (n.any[0]?.message ?? '')).join(' | '))),"
                + " error => done([String(error)]))");
    for (Object violation : (List<?>) Objects.requireNonNull(violations)) {
      found.add(String.valueOf(violation));
    }
    return found;
  }

  /** Errors that the browser logged since the last call: of scripts, policies, missing files. */
  List<String> errors() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.SEVERE.intValue())
        .map(entry -> entry.getMessage())
        .toList();
  }

  @Override
  public void close() {
    driver.quit();
  }
}
