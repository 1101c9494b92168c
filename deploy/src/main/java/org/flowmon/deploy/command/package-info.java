/**
 * What every command has, whatever it is about, and the benchmarks too: exit codes, exceptions and
 * the line that becomes of them, the end by a signal, durations, the log of services.
 */
package org.flowmon.deploy.command;
