/**
 * flowmon demo: all of flowmon in one JVM, from the exporters' datagrams to reports and an archive,
 * with a final account of every flow; start reading at Demo.
 */
@NullMarked
package org.flowmon.deploy.demo;

import org.jspecify.annotations.NullMarked;
