/**
 * Coverage-guided fuzzing of everything that reads bytes from outside. {@link
 * org.flowmon.fuzz.FuzzTargets} lists the targets; {@code flowmon fuzz TARGET} runs one for as long
 * as wanted, {@code FuzzIT} each for some seconds, and {@code CorpusTest} takes the committed
 * inputs through each.
 */
package org.flowmon.fuzz;
