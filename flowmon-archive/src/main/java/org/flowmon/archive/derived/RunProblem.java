package org.flowmon.archive.derived;

/**
 * A run that is not what its segments say.
 *
 * @param run its name within its folder
 * @param what what was found and what was expected
 */
public record RunProblem(String run, String what) {}
