/**
 * The common parts of all commands and the benchmarks: exit codes, exceptions and their messages,
 * the end by a signal, durations, the log of services.
 */
@NullMarked
package org.flowmon.deploy.command;

import org.jspecify.annotations.NullMarked;
