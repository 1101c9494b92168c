/**
 * flowmon analyses: checks and lists the files that define analyses, and changes them in a running
 * job.
 */
@NullMarked
package org.flowmon.deploy.analysis;

import org.jspecify.annotations.NullMarked;
